/** What our library takes of memory while nothing happens. */
@NullMarked
package dev.carillon.benchmarks.footprint;

import org.jspecify.annotations.NullMarked;
