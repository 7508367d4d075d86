/** Ordered access to bytes that two processes share, and the mappings that hold them. */
@NullMarked
package dev.carillon.memory;

import org.jspecify.annotations.NullMarked;
