/** What lifecycles report, as meters of Micrometer. */
@org.jspecify.annotations.NullMarked
package dev.carillon.micrometer;
