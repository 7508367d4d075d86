@NullMarked
package dev.carillon.lifecycle;

import org.jspecify.annotations.NullMarked;
