/**
 * Tools for tests that deal with processes: {@link dev.carillon.test.LeakExtension} counts what a test class leaves
 * behind, {@link dev.carillon.test.ChildJvm} and {@link dev.carillon.test.ChildCommand} start other processes,
 * {@link dev.carillon.test.Deadline} bounds every wait, {@link dev.carillon.test.Seeded} gives random numbers that can
 * be repeated.
 */
@NullMarked
package dev.carillon.test;

import org.jspecify.annotations.NullMarked;
