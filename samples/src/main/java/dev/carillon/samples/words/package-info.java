/** What samples check of the words after their names. */
@NullMarked
package dev.carillon.samples.words;

import org.jspecify.annotations.NullMarked;
