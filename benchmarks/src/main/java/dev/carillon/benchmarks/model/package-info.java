/** What is measured: benchmarks, cases, variants, goals. */
@NullMarked
package dev.carillon.benchmarks.model;

import org.jspecify.annotations.NullMarked;
