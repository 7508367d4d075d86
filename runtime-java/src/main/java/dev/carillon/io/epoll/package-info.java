/** The backend that waits for readiness with epoll(7) and then makes the call itself. */
@NullMarked
package dev.carillon.io.epoll;

import org.jspecify.annotations.NullMarked;
