/** What a loop gives to the packages above it that live on it or poll for it, and what it asks of them. Not for users. */
@NullMarked
package dev.carillon.loop.access;

import org.jspecify.annotations.NullMarked;
