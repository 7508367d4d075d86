/** Guards over code: rooms, doors, which tests run, house words. */
@NullMarked
package dev.carillon.guards.code;

import org.jspecify.annotations.NullMarked;
