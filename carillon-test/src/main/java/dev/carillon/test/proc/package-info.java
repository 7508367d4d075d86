/** Facts about processes as Linux tells them under {@code /proc}: read and parsed here, judged elsewhere. */
@NullMarked
package dev.carillon.test.proc;

import org.jspecify.annotations.NullMarked;
