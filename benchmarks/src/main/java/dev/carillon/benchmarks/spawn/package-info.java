/** How long it takes to start a child and see its end. */
@NullMarked
package dev.carillon.benchmarks.spawn;

import org.jspecify.annotations.NullMarked;
