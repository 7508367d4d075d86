/** {@code ./carillon shm}: shows the links of a host to its user. It only reads. */
@NullMarked
package dev.carillon.shm.inspect;

import org.jspecify.annotations.NullMarked;
