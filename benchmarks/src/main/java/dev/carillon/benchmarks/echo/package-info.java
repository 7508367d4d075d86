/** Echo servers of several makers under one load, on few and on many connections. */
@NullMarked
package dev.carillon.benchmarks.echo;

import org.jspecify.annotations.NullMarked;
