/** From a signal to whoever waits for it. */
@NullMarked
package dev.carillon.benchmarks.signals;

import org.jspecify.annotations.NullMarked;
