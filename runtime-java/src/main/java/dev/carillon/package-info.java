/** The values that all of Carillon shares: what failed, what is available, what was closed. */
@NullMarked
package dev.carillon;

import org.jspecify.annotations.NullMarked;
