/** The floor: one door to the kernel ({@link dev.carillon.sys.LibC}) and descriptors that are closed once. */
@NullMarked
package dev.carillon.sys;

import org.jspecify.annotations.NullMarked;
