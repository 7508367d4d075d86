/** What it takes to wake a loop that sleeps. */
@NullMarked
package dev.carillon.benchmarks.park;

import org.jspecify.annotations.NullMarked;
