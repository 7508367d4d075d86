@NullMarked
package dev.carillon.admin;

import org.jspecify.annotations.NullMarked;
