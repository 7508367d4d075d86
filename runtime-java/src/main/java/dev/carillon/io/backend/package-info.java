/**
 * The seam between handles and backends: what handles want of the kernel, and what a backend does for that. Not for users.
 */
@NullMarked
package dev.carillon.io.backend;

import org.jspecify.annotations.NullMarked;
