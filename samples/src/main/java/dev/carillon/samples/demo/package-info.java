/** The tour that {@code ./carillon demo} gives. */
@NullMarked
package dev.carillon.samples.demo;

import org.jspecify.annotations.NullMarked;
