/** Input and output on a loop: sockets, files, other descriptors, changes in folders, and their operations. */
@NullMarked
package dev.carillon.io;

import org.jspecify.annotations.NullMarked;
