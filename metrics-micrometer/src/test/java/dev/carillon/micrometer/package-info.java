/** Meters of real lifecycles. */
@org.jspecify.annotations.NullMarked
package dev.carillon.micrometer;
