/** Messages of the packages to the operator of the program. */
@NullMarked
package dev.carillon.loop.log;

import org.jspecify.annotations.NullMarked;
