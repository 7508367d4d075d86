/** Messages from one process to another, through shared memory and by other ways. */
@NullMarked
package dev.carillon.benchmarks.shm;

import org.jspecify.annotations.NullMarked;
