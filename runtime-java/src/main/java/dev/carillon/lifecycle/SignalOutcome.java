package dev.carillon.lifecycle;

import dev.carillon.Signal;
import java.util.OptionalInt;

/**
 * What a signal has led to, see {@link Lifecycle#injectForTest}.
 *
 * @param signal which one
 * @param handlers how many handlers were called, with those that threw
 * @param exitCode with which code the process would have ended; empty if it would go on
 * @param isForced whether it would have ended at once, without the rest of a shutdown
 */
public record SignalOutcome(Signal signal, int handlers, OptionalInt exitCode, boolean isForced) {}
