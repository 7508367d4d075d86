/** Waiting for a word in memory to change, and waking those who wait, also between processes. */
@NullMarked
package dev.carillon.futex;

import org.jspecify.annotations.NullMarked;
