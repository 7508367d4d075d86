@NullMarked
package dev.carillon.samples;

import org.jspecify.annotations.NullMarked;
