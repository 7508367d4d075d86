@NullMarked
package dev.carillon.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
