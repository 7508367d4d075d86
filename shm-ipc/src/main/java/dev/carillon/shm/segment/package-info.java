/** How the memory of a link is laid out: its header, its regions, and what of it may be believed. */
@NullMarked
package dev.carillon.shm.segment;

import org.jspecify.annotations.NullMarked;
