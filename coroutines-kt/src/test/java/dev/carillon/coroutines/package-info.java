/** Java callers of the Kotlin face. */
@NullMarked
package dev.carillon.coroutines;

import org.jspecify.annotations.NullMarked;
