/** Signals as values: who waits for them, what came before anybody waited, and how they reach the loop. */
@NullMarked
package dev.carillon.signal;

import org.jspecify.annotations.NullMarked;
