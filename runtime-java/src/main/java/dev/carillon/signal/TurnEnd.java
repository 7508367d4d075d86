package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;

/**
 * Calls those who got a record in a reader's turn at the end of this turn, when nothing of the reader is left on the stack.
 * They are on the loop thread then, outside of all callbacks, and need no way through the loop's queue.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.thread]
final class TurnEnd {
    private final EventLoop loop;
    private final Queue<Runnable> calls = new ArrayDeque<>();
    private boolean isOpen;

    TurnEnd(EventLoop loop) {
        this.loop = loop;
    }

    void begin() {
        isOpen = true;
    }

    /** False outside of a turn. */
    boolean tryAdd(Runnable call) {
        return isOpen && calls.add(call);
    }

    void end() {
        isOpen = false;
        boolean hasReturned = false;
        try {
            callAll();
            hasReturned = true;
        } finally {
            if (!hasReturned) {
                callAllLater();
            }
        }
    }

    private void callAll() {
        Runnable call;
        while ((call = calls.poll()) != null) {
            call.run();
        }
    }

    /** One has thrown, which keeps no other from being called. */
    private void callAllLater() {
        try {
            for (Runnable call = calls.peek(); call != null; call = calls.peek()) {
                loop.execute(call);
                calls.remove();
            }
        } catch (RejectedExecutionException loopEnds) {
            end();
        }
    }
}
