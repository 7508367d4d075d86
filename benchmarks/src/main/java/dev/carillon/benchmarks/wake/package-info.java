/** How long it takes to wake a thread that sleeps. */
@NullMarked
package dev.carillon.benchmarks.wake;

import org.jspecify.annotations.NullMarked;
