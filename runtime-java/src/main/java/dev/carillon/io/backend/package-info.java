/** What handles want of the kernel, and what a backend has to do for that; no door for users. */
@NullMarked
package dev.carillon.io.backend;

import org.jspecify.annotations.NullMarked;
