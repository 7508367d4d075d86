package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.TimerHandle;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.StackRoom;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wait for a signal, with callbacks and without a future.
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
     * package-private fields belong to the loop ({@link WaitPlace}).
     */
    private volatile State state = State.WAITING;

    /** Has the place where it waits look at its state, on the loop. */
    private volatile @Nullable Consumer<SignalWaiter> look;

    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final AtomicBoolean isReturned = new AtomicBoolean();
    private final SignalSet signals;
    private final WaiterQueue.@Nullable Place place;

    @Nullable
    SignalRecord record;

    @Nullable
    TimerHandle timer;

    long deadline = Deadlines.NEVER;
    boolean hasEntered;
    boolean hasLeft;

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
            Consumer<SignalWaiter> started = look;
            if (started != null) {
                started.accept(this);
            }
            return true;
        }
        // The step that would have resumed it is on its way, and gives the record back.
        return STATE.compareAndSet(this, State.NOTIFIED, State.CANCELLED);
    }

    /**
     * Gives the record of {@link #onSignal} back, if it cannot be used: it takes its old place. Once; a second call
     * does nothing.
     *
     * @throws IllegalStateException if no record was delivered
     */
    public final void giveBack() {
        StackRoom.ensureAround();
        Consumer<SignalWaiter> started = look;
        if (state != State.RESUMED || started == null) {
            throw new IllegalStateException("giveBack() in state " + state + ": only what onSignal() got can be given");
        }
        if (tryReturn()) {
            started.accept(this);
        }
    }

    final SignalSet signals() {
        return signals;
    }

    final WaiterQueue.@Nullable Place place() {
        return place;
    }

    final State state() {
        return state;
    }

    /** Before it is handed to the loop. */
    final void begin(Consumer<SignalWaiter> lookAtState, long deadlineNanos) {
        StackRoom.ensureAround();
        if (!isStarted.compareAndSet(false, true)) {
            throw new IllegalStateException("this waiter was started already; a waiter waits once: make another one");
        }
        deadline = deadlineNanos;
        look = lookAtState;
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

    /** Before onSignal; false if it was cancelled. */
    final boolean tryResume() {
        return STATE.compareAndSet(this, State.NOTIFIED, State.RESUMED);
    }

    /** Before onTimeout or onFailure; false if it has been notified or is over. */
    final boolean tryEnd() {
        return STATE.compareAndSet(this, State.WAITING, State.CANCELLED);
    }

    /** Marks its record as given back; false if it is marked already. */
    final boolean tryReturn() {
        return isReturned.compareAndSet(false, true);
    }

    final boolean isReturned() {
        return isReturned.get();
    }

    /** As in {@code SignalWaiter[{SIGHUP}, WAITING]}. */
    @Override
    public String toString() {
        return "SignalWaiter[" + signals + ", " + state + "]";
    }
}
