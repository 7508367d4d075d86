/** What a signal means: shutdown, double tap, reload. */
// r[impl life.deps]
@org.jspecify.annotations.NullMarked
package dev.carillon.lifecycle;
