/** Loops of several makers behind one interface, each in a process of its own, and what is done with each. */
@NullMarked
package dev.carillon.benchmarks.loops;

import org.jspecify.annotations.NullMarked;
