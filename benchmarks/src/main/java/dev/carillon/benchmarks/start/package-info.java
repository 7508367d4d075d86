/** What our library adds to the start of a VM. */
@NullMarked
package dev.carillon.benchmarks.start;

import org.jspecify.annotations.NullMarked;
