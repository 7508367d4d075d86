package dev.carillon.signal;

import dev.carillon.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Calls waiters one after the other, and never one on top of another: a waiter that waits again in its callback is called
 * when that has returned, however much is pending.
 *
 * <p>Who has got a record goes into a queue, and at the end of the reader's turn ({@link TurnEnd}), or else in a task, those
 * who are in it are called, no more than the readers bring records in a turn; then other work of the loop gets its turn. Only a wait that begins on the loop thread outside of all callbacks,
 * and finds its record there already, is called back at once. A future that is complete when it is returned runs what is
 * attached to it on the stack of the caller, who may wait again there: so this happens a few times in a row at most, and
 * then the loop gets its turn.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.depth]
final class WaiterCalls {
    private static final int AT_ONCE = 16;

    /** As many as both readers bring in a turn: with fewer, records would come faster than who waits again takes them. */
    private static final int IN_ONE_TURN = 512;

    private final EventLoop loop;
    private final WaitPlace place;
    private final Queue<SignalWaiter> ready = new ArrayDeque<>();
    private final Runnable task = this::callAll;

    /** Whether a task is posted, or is for the end of the turn, or runs; whatever comes into the queue meanwhile is called by it. */
    private boolean isUnderWay;

    private boolean isCalling;

    /** How many were called at once since a task of ours ran. */
    private int atOnce;

    WaiterCalls(WaitPlace place) {
        this.place = place;
        loop = place.loop();
    }

    /** A waiter has got a record while it waited. */
    // r[impl signal.thread]
    void soon(SignalWaiter waiter) {
        soon(waiter, null);
    }

    /** The same in a reader's turn, at the end of which the waiter is called. */
    void soon(SignalWaiter waiter, @Nullable TurnEnd turn) {
        ready.add(waiter);
        if (!isUnderWay) {
            isUnderWay = true;
            if (turn == null || !turn.tryAdd(task)) {
                loop.execute(task);
            }
        }
    }

    /** A waiter has found a record when it began; nobody who has got one before is called after it. */
    void nowOrSoon(SignalWaiter waiter) {
        if (isCalling || !ready.isEmpty() || atOnce == AT_ONCE) {
            soon(waiter);
        } else {
            atOnce++;
            waiter.resume(place);
        }
    }

    private void callAll() {
        atOnce = 0;
        boolean hasReturned = false;
        try {
            int called = 0;
            while (!ready.isEmpty() && (called++ < IN_ONE_TURN || !tryGoOnLater())) {
                ready.remove().resume(place);
            }
            hasReturned = true;
        } finally {
            if (ready.isEmpty()) {
                isUnderWay = false;
            } else if (!hasReturned && !tryGoOnLater()) {
                callAll();
            }
        }
    }

    /** False if the loop takes nothing any more: then everything is done now. */
    private boolean tryGoOnLater() {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException loopEnds) {
            return false;
        }
    }

    /** Whether a callback is being called further down on the stack. */
    boolean isCalling() {
        return isCalling;
    }

    /** Before a callback; what it returns is for {@link #end}. */
    boolean begin() {
        boolean outer = isCalling;
        isCalling = true;
        return outer;
    }

    /** After it. */
    void end(boolean outer) {
        isCalling = outer;
    }
}
