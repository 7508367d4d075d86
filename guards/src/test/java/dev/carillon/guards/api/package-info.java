/** The public API of each published artifact, as text that a reviewer reads. */
@NullMarked
package dev.carillon.guards.api;

import org.jspecify.annotations.NullMarked;
