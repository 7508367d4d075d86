/** What operations leave to the garbage collector, measured by JMH. */
@NullMarked
package dev.carillon.benchmarks.garbage;

import org.jspecify.annotations.NullMarked;
