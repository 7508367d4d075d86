/** Looks at the memory of a link and says what of it cannot be: for tests, and for the inspector. It only reads. */
@NullMarked
package dev.carillon.shm.audit;

import org.jspecify.annotations.NullMarked;
