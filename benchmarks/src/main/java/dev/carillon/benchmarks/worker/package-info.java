/** The side that does the work, in a process of its own. */
@NullMarked
package dev.carillon.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
