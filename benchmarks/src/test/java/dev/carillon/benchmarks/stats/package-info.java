@NullMarked
package dev.carillon.benchmarks.stats;

import org.jspecify.annotations.NullMarked;
