/** What a loop gives to the rooms above it that live on it or poll for it, and asks of them; no door for users. */
@NullMarked
package dev.carillon.loop.access;

import org.jspecify.annotations.NullMarked;
