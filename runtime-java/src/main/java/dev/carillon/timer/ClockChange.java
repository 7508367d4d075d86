package dev.carillon.timer;

import java.time.Duration;

/**
 * Somebody has set the wall clock, or the machine was suspended.
 *
 * @param step how far the wall clock has moved against the clock that nobody sets, since the timers were opened or last told:
 *     forward, or negative. The time in suspend is part of it, and so is what a time daemon has corrected bit by bit.
 */
public record ClockChange(Duration step) {}
