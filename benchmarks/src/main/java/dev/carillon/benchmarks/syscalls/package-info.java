/** What a system call costs through our door to C. */
@NullMarked
package dev.carillon.benchmarks.syscalls;

import org.jspecify.annotations.NullMarked;
