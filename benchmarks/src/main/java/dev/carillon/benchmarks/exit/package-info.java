/** How long a VM takes from its last line to its end, with loops that sleep. */
@NullMarked
package dev.carillon.benchmarks.exit;

import org.jspecify.annotations.NullMarked;
