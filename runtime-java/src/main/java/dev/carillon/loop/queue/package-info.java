/** The data structures of the loop. They have no threads and make no system calls, so a test can use each alone. */
@NullMarked
package dev.carillon.loop.queue;

import org.jspecify.annotations.NullMarked;
