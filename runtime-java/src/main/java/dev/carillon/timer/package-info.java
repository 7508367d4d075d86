/** Timers on the clocks of the wall and of the suspended machine, and the loop as a ScheduledExecutorService. */
@NullMarked
package dev.carillon.timer;

import org.jspecify.annotations.NullMarked;
