/** The event loop: one thread that polls, its tasks, its timers and its life. */
@NullMarked
package dev.carillon.loop;

import org.jspecify.annotations.NullMarked;
