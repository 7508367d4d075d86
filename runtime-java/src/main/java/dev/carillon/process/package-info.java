/** Children: started with chosen descriptors and a clean mask, watched and signalled by pidfd. */
@NullMarked
package dev.carillon.process;

import org.jspecify.annotations.NullMarked;
