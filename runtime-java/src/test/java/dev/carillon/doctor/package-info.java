@NullMarked
package dev.carillon.doctor;

import org.jspecify.annotations.NullMarked;
