/** What a signal means: shutdown, double tap, reload. */
@org.jspecify.annotations.NullMarked
package dev.carillon.lifecycle;
