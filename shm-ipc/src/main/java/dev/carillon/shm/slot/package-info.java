/** The slots of one direction of a link: memory for messages that do not fit into a ring's entry. */
@NullMarked
package dev.carillon.shm.slot;

import org.jspecify.annotations.NullMarked;
