package dev.carillon.signal;

import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/**
 * Where a waiter waits: at a service, or at one subscription of it.
 *
 * <p><b>Threading:</b> the loop's, but {@link #soon}, {@link #onLoop} and {@link #loop}.
 */
abstract class WaitPlace {
    private final EventLoop loop;
    private final WaiterCalls calls;

    WaitPlace(EventLoop loop) {
        this.loop = loop;
        calls = new WaiterCalls(this);
    }

    final EventLoop loop() {
        return loop;
    }

    final WaiterCalls calls() {
        return calls;
    }

    /** Looks at a waiter's state. Any thread. */
    final void soon(SignalWaiter waiter) {
        onLoop(() -> waiter.onLoop(this));
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

    /** Begins a wait: true if a record was there. */
    abstract boolean enter(SignalWaiter waiter);

    /** A waiter ends without a record. */
    abstract void leave(SignalWaiter waiter);

    /** Somebody who wanted one of these gets a record. */
    abstract void delivered(SignalRecord record, SignalSet wanted);

    /** Somebody who got a record gives it back. */
    abstract void notKept();

    /** A waiter has not used its record. */
    abstract void takeBack(SignalRecord record);
}
