/** Guards over the two builds: jars that are what they were, and Maven and Gradle saying the same. */
@NullMarked
package dev.carillon.guards.builds;

import org.jspecify.annotations.NullMarked;
