/** The forwarder: machine code that sends each signal on to a loop, what reads it there, and what a service hears of it. */
@NullMarked
package dev.carillon.signal.forwarder;

import org.jspecify.annotations.NullMarked;
