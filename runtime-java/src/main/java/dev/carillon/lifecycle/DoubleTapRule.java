package dev.carillon.lifecycle;

import java.time.Duration;

/**
 * How a second Ctrl+C ends the process at once.
 *
 * @param window within which the second one counts
 * @param message what the first one prints
 * @param behavior of the second one
 * @param exitCode of the second one
 */
public record DoubleTapRule(Duration window, String message, SignalBehavior behavior, int exitCode) {}
