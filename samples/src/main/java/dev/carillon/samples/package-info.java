/** Programs to copy from, one file each. */
@NullMarked
package dev.carillon.samples;

import org.jspecify.annotations.NullMarked;
