/** What rooms have to say to whoever runs the program. */
@NullMarked
package dev.carillon.loop.log;

import org.jspecify.annotations.NullMarked;
