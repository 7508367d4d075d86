/** Links between a host and its guests: messages through shared memory. */
@NullMarked
package dev.carillon.shm;

import org.jspecify.annotations.NullMarked;
