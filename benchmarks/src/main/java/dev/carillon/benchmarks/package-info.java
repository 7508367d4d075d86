/** Ours, peers and C, measured side by side: the command line and the list of benchmarks. */
@NullMarked
package dev.carillon.benchmarks;

import org.jspecify.annotations.NullMarked;
