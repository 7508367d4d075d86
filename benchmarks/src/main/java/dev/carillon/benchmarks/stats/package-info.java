/** Figures from rounds: quantiles, rotation, which rounds count. */
@NullMarked
package dev.carillon.benchmarks.stats;

import org.jspecify.annotations.NullMarked;
