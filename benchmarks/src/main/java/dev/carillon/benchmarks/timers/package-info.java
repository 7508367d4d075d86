/** Timers: set, cancelled, and run out. */
@NullMarked
package dev.carillon.benchmarks.timers;

import org.jspecify.annotations.NullMarked;
