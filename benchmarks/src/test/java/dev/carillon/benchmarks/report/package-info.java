@NullMarked
package dev.carillon.benchmarks.report;

import org.jspecify.annotations.NullMarked;
