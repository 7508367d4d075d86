/** How long it takes to wake somebody who sleeps. */
@NullMarked
package dev.carillon.benchmarks.wake;

import org.jspecify.annotations.NullMarked;
