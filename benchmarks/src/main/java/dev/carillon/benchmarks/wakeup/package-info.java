/** What it takes to wake a loop that sleeps. */
@NullMarked
package dev.carillon.benchmarks.wakeup;

import org.jspecify.annotations.NullMarked;
