/** What lives on a loop and moves bytes: sockets, files, other descriptors, changes in folders, and their operations. */
@NullMarked
package dev.carillon.io;

import org.jspecify.annotations.NullMarked;
