/** Signals over authenticated HTTP: {@code POST /admin/signal}. */
@NullMarked
package dev.carillon.admin;

import org.jspecify.annotations.NullMarked;
