@NullMarked
package dev.carillon.benchmarks.run;

import org.jspecify.annotations.NullMarked;
