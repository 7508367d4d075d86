/** How it is measured: processes of their own, alternating rounds, the state of the host. */
@NullMarked
package dev.carillon.benchmarks.run;

import org.jspecify.annotations.NullMarked;
