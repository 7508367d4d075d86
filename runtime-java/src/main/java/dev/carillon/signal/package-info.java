/** Signals as values: waits for them, what came before a wait began, and how they reach the loop. */
@NullMarked
package dev.carillon.signal;

import org.jspecify.annotations.NullMarked;
