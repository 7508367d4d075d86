/** Doorbells: two processes wake each other, and each notices when the other is gone. */
@NullMarked
package dev.carillon.shm.doorbell;

import org.jspecify.annotations.NullMarked;
