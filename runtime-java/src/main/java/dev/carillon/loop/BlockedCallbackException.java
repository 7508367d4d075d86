package dev.carillon.loop;

import java.io.Serial;
import java.time.Duration;

/** A callback has kept its loop busy for too long. The stack is that of the loop thread, as the watchdog saw it. */
public final class BlockedCallbackException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    BlockedCallbackException(Thread thread, Duration blocked, StackTraceElement[] stack) {
        super(
                "a callback has blocked the loop thread " + thread.getName() + " for " + blocked.toMillis()
                        + " ms and goes on; the stack shows where: move that work to another thread",
                null,
                false,
                true);
        setStackTrace(stack);
    }
}
