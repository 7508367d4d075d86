/** Tasks that other threads post to a loop that is busy. */
@NullMarked
package dev.carillon.benchmarks.post;

import org.jspecify.annotations.NullMarked;
