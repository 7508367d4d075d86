/** What an access to shared bytes costs. */
@NullMarked
package dev.carillon.benchmarks.bytes;

import org.jspecify.annotations.NullMarked;
