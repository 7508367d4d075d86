@NullMarked
package dev.carillon.benchmarks.model;

import org.jspecify.annotations.NullMarked;
