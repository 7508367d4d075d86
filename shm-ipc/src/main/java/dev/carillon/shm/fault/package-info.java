/** What a peer can do wrong, as the parts of a link find it out. */
@NullMarked
package dev.carillon.shm.fault;

import org.jspecify.annotations.NullMarked;
