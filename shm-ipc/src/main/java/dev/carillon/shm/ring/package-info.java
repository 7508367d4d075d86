/** A ring of entries in shared memory: one direction of a link, with one producer and one consumer. */
@NullMarked
package dev.carillon.shm.ring;

import org.jspecify.annotations.NullMarked;
