/** Explains the machine to its user: what works here, and what to change where it does not. */
@NullMarked
package dev.carillon.doctor;

import org.jspecify.annotations.NullMarked;
