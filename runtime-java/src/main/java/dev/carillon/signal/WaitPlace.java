package dev.carillon.signal;

import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import dev.carillon.sys.Deadlines;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Where a waiter waits, at a service or at one subscription of it: takes it through its states, and calls it.
 *
 * <p>Waiters are called one after the other, and never one on top of another: a waiter that waits again in its callback is
 * called when that has returned, however much is pending. A waiter that has got a record goes into a queue. At the end of
 * the reader's turn, or else in a task, those in the queue are called, no more than the readers bring records in a turn;
 * then other work of the loop gets its turn. Only a wait that begins on the loop thread outside of all callbacks, and finds
 * its record there already, is called back at once. A future that is complete when it is returned runs what is attached to
 * it on the stack of the caller, who may wait again there: so this happens a few times in a row at most, and then the loop
 * gets its turn.
 *
 * <p><b>Threading:</b> the loop's, but {@link #start}, {@link #onLoop} and {@link #loop}.
 */
// r[impl signal.depth]
abstract class WaitPlace {
    private static final int AT_ONCE = 16;

    /** As many as both readers bring in a turn: with fewer, records would come faster than a waiter that waits again takes them. */
    private static final int IN_ONE_TURN = 512;

    private final EventLoop loop;
    private final Consumer<SignalWaiter> look = this::lookSoon;
    private final Queue<SignalWaiter> ready = new ArrayDeque<>();
    private final Runnable task = this::callReady;

    /** Whether a task is posted, or is for the end of the turn, or runs; it calls those that come into the queue meanwhile. */
    private boolean isUnderWay;

    /** Whether a callback is being called further down on the stack. */
    private boolean isCalling;

    /** How many were called at once since a task of ours ran. */
    private int atOnce;

    WaitPlace(EventLoop loop) {
        this.loop = loop;
    }

    /** Finds a record for a waiter that begins: true if one was there, else the waiter is in the queues, or has failed. */
    abstract boolean enter(SignalWaiter waiter);

    /** A waiter ends without a record. */
    abstract void leave(SignalWaiter waiter);

    /** A waiter that wanted one of these gets a record. */
    abstract void delivered(SignalRecord record, SignalSet wanted);

    /** A waiter that got a record gives it back. */
    abstract void notKept();

    /** A waiter has not used its record. */
    abstract void takeBack(SignalRecord record);

    final EventLoop loop() {
        return loop;
    }

    /** Begins a wait. Any thread. */
    final void start(SignalWaiter waiter, long deadline) {
        waiter.begin(look, deadline);
        if (loop.inLoop()) {
            look(waiter);
        } else {
            loop.execute(() -> look(waiter));
        }
    }

    /** Does something on the loop thread, soon, or never if the loop ends. Any thread. */
    final void onLoop(Runnable action) {
        if (loop.inLoop()) {
            action.run();
            return;
        }
        try {
            loop.execute(action);
        } catch (RejectedExecutionException loopEnds) {
            // Then the service ends with it, and no queue is left that a waiter could stay in.
        }
    }

    /** Looks at a waiter's state. Any thread. */
    private void lookSoon(SignalWaiter waiter) {
        onLoop(() -> look(waiter));
    }

    /** Does whatever the state of a waiter asks for; called too often, it does nothing. */
    private void look(SignalWaiter waiter) {
        switch (waiter.state()) {
            case WAITING -> begin(waiter);
            case NOTIFIED -> {
                // It is in the queue of those that are to be called.
            }
            case CANCELLED -> end(waiter);
            case RESUMED -> {
                if (waiter.isReturned()) {
                    giveUp(waiter);
                }
            }
        }
    }

    private void begin(SignalWaiter waiter) {
        if (waiter.hasEntered) {
            return;
        }
        waiter.hasEntered = true;
        boolean isThere;
        try {
            isThere = enter(waiter);
        } catch (Error thrown) {
            fail(waiter, new IllegalStateException(waiter + " could not begin: " + thrown, thrown));
            throw thrown;
        }
        if (isThere) {
            callNowOrSoon(waiter);
        } else if (waiter.deadline != Deadlines.NEVER && waiter.state() == SignalWaiter.State.WAITING) {
            if (waiter.deadline - loop.nanoTime() <= 0 && !isCalling) {
                timeOut(waiter);
            } else {
                waiter.timer = loop.scheduleAt(waiter.deadline, () -> timeOut(waiter));
            }
        }
    }

    /** A waiter has found a record when it began; those that have got one before are called before it. */
    private void callNowOrSoon(SignalWaiter waiter) {
        if (isCalling || !ready.isEmpty() || atOnce == AT_ONCE) {
            callSoon(waiter, loop);
        } else {
            atOnce++;
            resume(waiter);
        }
    }

    /**
     * A waiter has got a record while it waited.
     *
     * @param turn the end of a reader's turn, or else the loop
     */
    // r[impl signal.thread]
    final void callSoon(SignalWaiter waiter, Executor turn) {
        ready.add(waiter);
        if (!isUnderWay) {
            isUnderWay = true;
            turn.execute(task);
        }
    }

    private void callReady() {
        atOnce = 0;
        boolean hasReturned = false;
        try {
            int called = 0;
            while (!ready.isEmpty() && (called++ < IN_ONE_TURN || !tryGoOnLater())) {
                resume(ready.remove());
            }
            hasReturned = true;
        } finally {
            if (ready.isEmpty()) {
                isUnderWay = false;
            } else if (!hasReturned && !tryGoOnLater()) {
                callReady();
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

    /** It has got a record, and its turn has come. */
    private void resume(SignalWaiter waiter) {
        SignalRecord assigned = waiter.record;
        if (assigned == null || !waiter.tryResume()) {
            end(waiter);
            return;
        }
        stopTimer(waiter);
        assigned.onTaken();
        delivered(assigned, waiter.signals());
        boolean outer = isCalling;
        isCalling = true;
        try {
            waiter.onSignal(assigned.info());
        } catch (Throwable thrown) {
            // An Error as well, such as that of a class that is not there: the signal is not lost for it.
            thrownBy(waiter, thrown);
            throw thrown;
        } finally {
            isCalling = outer;
        }
    }

    /** The callback could not use its record: that goes to the next, and the wait has failed. */
    // r[impl signal.throw]
    private void thrownBy(SignalWaiter waiter, Throwable thrown) {
        if (waiter.tryReturn()) {
            giveUp(waiter);
        }
        try {
            waiter.onFailure(
                    thrown instanceof RuntimeException cause
                            ? cause
                            : new IllegalStateException(
                                    waiter + " could not be told of its signal: " + thrown, thrown));
        } catch (Throwable second) {
            if (second != thrown) {
                thrown.addSuppressed(second);
            }
        }
    }

    private void end(SignalWaiter waiter) {
        if (!waiter.hasLeft) {
            waiter.hasLeft = true;
            stopTimer(waiter);
            giveUp(waiter);
        }
    }

    /** A waiter ends without a record; gives back what it has got. */
    private void giveUp(SignalWaiter waiter) {
        leave(waiter);
        SignalRecord unused = waiter.record;
        if (unused != null) {
            waiter.record = null;
            if (waiter.state() == SignalWaiter.State.RESUMED) {
                unused.onTakenBack();
                notKept();
            }
            takeBack(unused);
        }
    }

    // r[impl signal.timeout]
    private void timeOut(SignalWaiter waiter) {
        if (waiter.tryEnd()) {
            leave(waiter);
            boolean outer = isCalling;
            isCalling = true;
            try {
                waiter.onTimeout();
            } finally {
                isCalling = outer;
            }
        }
    }

    /** Ends a wait with an error; nothing happens if it has been notified or is over. */
    final void fail(SignalWaiter waiter, RuntimeException cause) {
        if (waiter.tryEnd()) {
            stopTimer(waiter);
            boolean outer = isCalling;
            isCalling = true;
            try {
                waiter.onFailure(cause);
            } finally {
                isCalling = outer;
            }
        }
    }

    private static void stopTimer(SignalWaiter waiter) {
        TimerHandle running = waiter.timer;
        if (running != null) {
            waiter.timer = null;
            running.cancel();
        }
    }
}
