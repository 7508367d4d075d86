/** One thread that polls: tasks, timers and operations on descriptors. */
@NullMarked
package dev.carillon.loop;

import org.jspecify.annotations.NullMarked;
