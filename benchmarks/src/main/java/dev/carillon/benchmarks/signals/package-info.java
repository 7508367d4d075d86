/** From a signal to its waiter. */
@NullMarked
package dev.carillon.benchmarks.signals;

import org.jspecify.annotations.NullMarked;
