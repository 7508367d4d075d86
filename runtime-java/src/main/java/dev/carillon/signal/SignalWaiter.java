package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.TimerHandle;
import dev.carillon.sys.StackRoom;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One wait for a signal, with callbacks: what futures are made of, for those who need no future.
 *
 * <p>Subclass it and hand it to {@link SignalService#start}. Exactly one callback is called, or none after
 * {@link #cancel}; if {@link #onSignal} throws, {@link #onFailure} is called, too:
 *
 * <pre>{@code
 * service.start(new SignalWaiter(Signal.SIGHUP) {
 *     protected void onSignal(SignalInfo info) {
 *         if (!receiver.tryResume(info)) {
 *             giveBack();
 *         }
 *     }
 *     protected void onFailure(RuntimeException cause) {
 *         receiver.fail(cause);
 *     }
 * });
 * }</pre>
 *
 * <p><b>Threading:</b> callbacks are called on the loop thread; the rest: any thread.
 *
 * <p><b>Order:</b> what a thread did before it started the wait is visible to the callback.
 */
public abstract class SignalWaiter {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SignalWaiter.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How a wait goes on. */
    enum State {
        WAITING,
        NOTIFIED,
        RESUMED,
        CANCELLED
    }

    // r[impl signal.state]
    /**
     * WAITING -> NOTIFIED: the loop has assigned a record. NOTIFIED -> RESUMED: the loop is about to call onSignal.
     * WAITING -> CANCELLED: cancel(), or the loop for a timeout or a failure. NOTIFIED -> CANCELLED: cancel(); the
     * loop, which was about to resume, gives the record back. Each step is a CAS and its winner does what follows; all
     * fields below belong to the loop.
     */
    private volatile State state = State.WAITING;

    private volatile @Nullable WaitPlace desk;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isReturned = new AtomicBoolean();
    private final SignalSet signals;
    private final WaiterQueue.@Nullable Place place;
    private @Nullable SignalRecord record;
    private @Nullable TimerHandle timer;
    private long deadline = Long.MAX_VALUE;
    private boolean hasEntered;
    private boolean hasLeft;

    /** Whether it is in the queues of a service. */
    boolean isQueued;

    /** A wait for one signal. */
    protected SignalWaiter(Signal signal) {
        this(SignalSet.of(signal));
    }

    /**
     * A wait for whichever of these comes first.
     *
     * @throws IllegalArgumentException if there are none
     */
    protected SignalWaiter(SignalSet signals) {
        if (signals.isEmpty()) {
            throw new IllegalArgumentException("signals={}: nobody can wait for none; name at least one");
        }
        this.signals = signals;
        WaiterQueue.Place places = null;
        for (Signal signal : signals) {
            places = new WaiterQueue.Place(this, signal.number(), places);
        }
        place = places;
    }

    /**
     * The signal came. If it cannot be used, {@link #giveBack}. What this throws ends the wait: the record goes to the
     * next, {@link #onFailure} gets the cause, and the loop's error handler, too. On the loop thread.
     */
    protected abstract void onSignal(SignalInfo info);

    /**
     * The wait is over without a signal: the service was closed, the signal was released or could not be attached, or
     * {@link #onSignal} has thrown. On the loop thread.
     */
    protected abstract void onFailure(RuntimeException cause);

    /** The time was over first; only if {@link SignalService#start(SignalWaiter, Duration)} set one. On the loop. */
    protected void onTimeout() {}

    /**
     * Ends the wait without a callback; a record that was assigned meanwhile goes to the next.
     *
     * @return false if a callback has been called, or it was cancelled already
     */
    // r[impl signal.cancel]
    public final boolean cancel() {
        StackRoom.ensureAround();
        if (STATE.compareAndSet(this, State.WAITING, State.CANCELLED)) {
            WaitPlace started = desk;
            if (started != null) {
                started.soon(this);
            }
            return true;
        }
        // The step that would have resumed it is on its way, and gives the record back.
        return STATE.compareAndSet(this, State.NOTIFIED, State.CANCELLED);
    }

    /**
     * Gives the record of {@link #onSignal} back, as nobody could use it: it takes its old place. Once; a second call
     * does nothing.
     *
     * @throws IllegalStateException if no record was delivered
     */
    public final void giveBack() {
        StackRoom.ensureAround();
        WaitPlace started = desk;
        if (state != State.RESUMED || started == null) {
            throw new IllegalStateException("giveBack() in state " + state + ": only what onSignal() got can be given");
        }
        if (isReturned.compareAndSet(false, true)) {
            started.soon(this);
        }
    }

    final SignalSet signals() {
        return signals;
    }

    final WaiterQueue.@Nullable Place place() {
        return place;
    }

    /** Before it is handed to the loop. */
    final void startOn(WaitPlace starter, long deadlineNanos) {
        StackRoom.ensureAround();
        if (!isStarted.compareAndSet(false, true)) {
            throw new IllegalStateException("this waiter was started already; a waiter waits once: make another one");
        }
        deadline = deadlineNanos;
        desk = starter;
    }

    /** Assigns a record; false if it was cancelled. */
    final boolean tryNotify(SignalRecord assigned) {
        record = assigned;
        if (STATE.compareAndSet(this, State.WAITING, State.NOTIFIED)) {
            return true;
        }
        record = null;
        return false;
    }

    /** Does whatever its state asks for; called too often, it does nothing. */
    final void onLoop(WaitPlace owner) {
        switch (state) {
            case WAITING -> enter(owner);
            case NOTIFIED -> {
                // Its turn comes by WaiterCalls.
            }
            case CANCELLED -> leave(owner);
            case RESUMED -> {
                if (isReturned.get()) {
                    giveUp(owner);
                }
            }
        }
    }

    private void enter(WaitPlace owner) {
        if (hasEntered) {
            return;
        }
        hasEntered = true;
        boolean isThere;
        try {
            isThere = owner.enter(this);
        } catch (Error thrown) {
            fail(owner, new IllegalStateException(this + " could not begin: " + thrown, thrown));
            throw thrown;
        }
        if (isThere) {
            owner.calls().nowOrSoon(this);
        } else if (deadline != Long.MAX_VALUE && state == State.WAITING) {
            if (deadline - owner.loop().nanoTime() <= 0 && !owner.calls().isCalling()) {
                timeOut(owner);
            } else {
                timer = owner.loop().scheduleAt(deadline, () -> timeOut(owner));
            }
        }
    }

    /** It has got a record, and its turn has come. */
    final void resume(WaitPlace owner) {
        SignalRecord assigned = record;
        if (assigned != null && STATE.compareAndSet(this, State.NOTIFIED, State.RESUMED)) {
            stopTimer();
            assigned.onTaken();
            owner.delivered(assigned, signals);
            boolean outer = owner.calls().begin();
            try {
                onSignal(assigned.info());
            } catch (Throwable thrown) {
                // An Error as well, such as that of a class that is not there: the signal is not lost for it.
                thrownBy(owner, thrown);
                throw thrown;
            } finally {
                owner.calls().end(outer);
            }
        } else {
            leave(owner);
        }
    }

    /** The callback could not use its record: that goes to the next, and the wait has failed. */
    // r[impl signal.throw]
    private void thrownBy(WaitPlace owner, Throwable thrown) {
        if (isReturned.compareAndSet(false, true)) {
            giveUp(owner);
        }
        try {
            onFailure(
                    thrown instanceof RuntimeException cause
                            ? cause
                            : new IllegalStateException(this + " could not be told of its signal: " + thrown, thrown));
        } catch (RuntimeException | Error second) {
            if (second != thrown) {
                thrown.addSuppressed(second);
            }
        }
    }

    private void leave(WaitPlace owner) {
        if (!hasLeft) {
            hasLeft = true;
            stopTimer();
            giveUp(owner);
        }
    }

    /** Ends without a record; gives back what it has got. */
    private void giveUp(WaitPlace owner) {
        owner.leave(this);
        SignalRecord unused = record;
        if (unused != null) {
            record = null;
            if (state == State.RESUMED) {
                unused.onTakenBack();
                owner.notKept();
            }
            owner.takeBack(unused);
        }
    }

    // r[impl signal.timeout]
    private void timeOut(WaitPlace owner) {
        if (STATE.compareAndSet(this, State.WAITING, State.CANCELLED)) {
            owner.leave(this);
            boolean outer = owner.calls().begin();
            try {
                onTimeout();
            } finally {
                owner.calls().end(outer);
            }
        }
    }

    /** Ends it with an error; nothing happens if it has been notified or is over. */
    final void fail(WaitPlace owner, RuntimeException cause) {
        if (STATE.compareAndSet(this, State.WAITING, State.CANCELLED)) {
            stopTimer();
            boolean outer = owner.calls().begin();
            try {
                onFailure(cause);
            } finally {
                owner.calls().end(outer);
            }
        }
    }

    private void stopTimer() {
        TimerHandle running = timer;
        if (running != null) {
            timer = null;
            running.cancel();
        }
    }

    /** As in {@code SignalWaiter[{SIGHUP}, WAITING]}. */
    @Override
    public String toString() {
        return "SignalWaiter[" + signals + ", " + state + "]";
    }
}
