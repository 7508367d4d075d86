/** The data structures of the loop, without threads and system calls of their own, so that each can be tested alone. */
@NullMarked
package dev.carillon.loop.queue;

import org.jspecify.annotations.NullMarked;
