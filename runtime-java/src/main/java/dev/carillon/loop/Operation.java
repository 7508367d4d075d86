package dev.carillon.loop;

import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.sys.StackRoom;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One operation on a handle, without a future: what a future, a coroutine or a protocol is built on.
 *
 * <p>It is made once and started as often as one likes, one start at a time, and allocates nothing:
 *
 * <pre>{@code
 * Operation read = Operation.of(done -> consume(done.result()));
 * socket.readSome(buffer, read);
 * }</pre>
 *
 * <p><b>Threading:</b> {@link #cancel}: any thread. Starting: any thread, but one at a time; the results: in the
 * completion, until the next start.
 *
 * <p><b>Ownership:</b> buffers belong to the operation from the start to the completion.
 */
public final class Operation extends LoopCommand {
    static final int IDLE = 0;
    static final int POSTED = 1;
    static final int WAITING = 2;
    static final int DELIVERING = 3;

    /** The operations that there are; on which side they wait, if they do. */
    enum Kind {
        READ(true),
        WRITE(false),
        ACCEPT(true),
        CONNECT(false),
        RECEIVE(true),
        SEND(false),
        RECEIVE_DESCRIPTORS(true),
        SEND_DESCRIPTORS(false),
        AWAIT_READABLE(true),
        AWAIT_WRITABLE(false),
        SHUTDOWN(false),
        OPEN(true);

        final boolean input;

        Kind(boolean input) {
            this.input = input;
        }
    }

    private static final VarHandle STATE;
    private static final VarHandle EPOCH;
    private static final VarHandle HANDLE;
    private static final VarHandle CANCELLED;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Operation.class, "state", int.class);
            EPOCH = MethodHandles.lookup().findVarHandle(Operation.class, "epoch", int.class);
            CANCELLED = MethodHandles.lookup().findVarHandle(Operation.class, "cancelled", int.class);
            HANDLE = MethodHandles.lookup().findVarHandle(Operation.class, "handle", Handle.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Completion completion;

    /** IDLE -> POSTED (start) -> WAITING (backend) -> DELIVERING (backend) -> IDLE (right before the completion). */
    @SuppressWarnings("unused") // through STATE
    private volatile int state = IDLE;

    /**
     * Counts starts and ends, so that a late cancel does not hit the next start. All of a start has a number of its own,
     * that nothing before it had: who cancels between two starts must not stand for those who cancel the second.
     */
    private int epoch;

    /** The epoch of the start whose cancel was sent last. */
    private volatile int cancelled = -1;

    private boolean cancelRequested;

    // What is wanted; set by the handle before the start.
    Kind kind = Kind.READ;

    @Nullable
    Handle handle;

    @Nullable
    ByteBuffer buffer;

    ByteBuffer @Nullable [] buffers;

    /** In a file, or -1 where the descriptor's own position counts. */
    long position;

    /** Whether it is repeated until so many bytes were moved as {@link #wanted} says. */
    boolean whole;

    long wanted;

    @Nullable
    SocketAddress address;

    @Nullable
    Object argument;

    long deadline = TimerHeap.NEVER;

    // The backend's own.

    /** How far it has come: of an accept and a connect; of several buffers, those that are done with. */
    int phase;

    @Nullable
    LoopTimer expiry;

    @Nullable
    Operation next;

    @Nullable
    Operation previous;

    // What came of it.
    private long result;
    private @Nullable Object value;
    private @Nullable Throwable failure;

    final BufferAddress bufferAddress = new BufferAddress();

    private Operation(Completion completion) {
        this.completion = Objects.requireNonNull(completion, "completion");
    }

    /** An operation that can be started again and again. */
    public static Operation of(Completion completion) {
        return new Operation(completion);
    }

    /** Bytes that were moved; -1 where a read met the end. */
    public long result() {
        return result;
    }

    /** What an accept, a connect, a receive or an opening made; else null. */
    public @Nullable Object value() {
        return value;
    }

    /** Why it failed, or null: a CancellationException after {@link #cancel}, a ClosedException after a close. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** Whether it was started and its completion was not called yet. */
    public boolean isPending() {
        return (int) STATE.getAcquire(this) != IDLE;
    }

    /**
     * Takes the completion back, if it is about to be called: so it is when a start that needed no wait has returned. The
     * results are there then, and the completion is not called. An iteration of the loop allows this for a batch of
     * operations, so that others have their turn.
     *
     * <p><b>Threading:</b> the thread of the loop on which it was started; elsewhere it does nothing.
     *
     * @return whether the results are there; if not, the completion is called in its time
     */
    // r[impl io.take]
    public boolean tryTake() {
        Handle on = (Handle) HANDLE.getAcquire(this);
        if (on == null
                || !on.loop().runsHere()
                || !isDelivering()
                || !on.loop().work().tryTake(this)) {
            return false;
        }
        clear();
        STATE.setRelease(this, IDLE);
        return true;
    }

    /**
     * Asks for an end. The completion is called in any case, once: as cancelled, or with the result if that came first.
     *
     * <p><b>Order:</b> a cancel means the last start that its caller knows of, never a later one.
     */
    public void cancel() {
        StackRoom.ensure();
        // The epoch first: if the loop finds it unchanged, the handle is of that start, and the loop its own. The other
        // way round the thread of an old loop could touch an operation that was started on another one meanwhile.
        int meant = (int) EPOCH.getAcquire(this);
        Handle target = (Handle) HANDLE.getAcquire(this);
        if (target == null || !isPending()) {
            return;
        }
        if (target.loop().runsHere()) {
            cancel(meant);
        } else if (cancelled != meant) {
            send(new Cancel(this, meant), target.loop());
        }
    }

    /** One cancel of a start is enough: who cancels it again and again does not fill the queue. */
    private void send(Cancel cancel, PollingLoop loop) {
        int before;
        do {
            before = cancelled;
            if (before == cancel.meant) {
                return;
            }
        } while (!CANCELLED.compareAndSet(this, before, cancel.meant));
        boolean sent = false;
        try {
            loop.command(cancel);
            sent = true;
        } finally {
            if (!sent) {
                CANCELLED.compareAndSet(this, cancel.meant, cancel.meant - 1);
            }
        }
    }

    private void cancel(int meant) {
        Handle target = handle;
        if (meant != epoch || target == null) {
            return;
        }
        int now = (int) STATE.getAcquire(this);
        if (now == POSTED) {
            cancelRequested = true;
        } else if (now == WAITING) {
            target.loop().io().cancel(this, wasCancelled());
        }
    }

    /** Begins a start: the caller sets what is wanted next. */
    Operation claim(Kind wanted, Handle on) {
        // Also for what its caller does next: until it is submitted, nobody would give it back.
        StackRoom.ensure();
        if (!STATE.compareAndSet(this, IDLE, POSTED)) {
            throw new IllegalStateException(
                    "kind=" + kind + ": this operation is pending; wait for its completion, or use another Operation");
        }
        EPOCH.setRelease(this, epoch + 1);
        kind = wanted;
        position = -1;
        whole = false;
        phase = 0;
        deadline = TimerHeap.NEVER;
        cancelRequested = false;
        result = 0;
        value = null;
        failure = null;
        // Last: from now on others can cancel it.
        HANDLE.setRelease(this, on);
        return this;
    }

    /** A start that did not come about. */
    void unclaim() {
        clear();
        STATE.setRelease(this, IDLE);
    }

    /** In the queue of the loop, its turn has come. */
    @Override
    void onLoop() {
        Handle target = target();
        if (cancelRequested) {
            target.loop().io().refuse(this, wasCancelled());
        } else {
            target.loop().io().start(this);
        }
    }

    /** Whoever was told that it will end is told so: where there is no memory for the cause, that is the cause. */
    // r[impl io.told]
    private Throwable wasCancelled() {
        try {
            return new CancellationException("the operation was cancelled: " + kind);
        } catch (OutOfMemoryError memoryIsShort) {
            return memoryIsShort;
        }
    }

    /** What it was started on; only while it is pending. */
    Handle target() {
        return Objects.requireNonNull(handle, "this operation was not started");
    }

    void waiting() {
        STATE.setRelease(this, WAITING);
    }

    boolean isWaiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    boolean isDelivering() {
        return (int) STATE.getAcquire(this) == DELIVERING;
    }

    void delivering() {
        STATE.setRelease(this, DELIVERING);
    }

    void deliver() {
        clear();
        STATE.setRelease(this, IDLE);
        completion.completed(this);
    }

    private void clear() {
        EPOCH.setRelease(this, epoch + 1);
        HANDLE.setRelease(this, null);
        buffer = null;
        buffers = null;
        address = null;
        argument = null;
    }

    /** Has it go on until so many bytes were moved, which is all that remains in its buffers. */
    Operation untilAll(long bytes) {
        whole = true;
        wanted = bytes;
        return this;
    }

    void succeed(long count) {
        result = count;
    }

    void succeed(Object made) {
        value = made;
    }

    void fail(Throwable cause) {
        failure = cause;
    }

    private static final class Cancel extends LoopCommand {
        private final Operation operation;
        private final int meant;

        Cancel(Operation operation, int meant) {
            this.operation = operation;
            this.meant = meant;
        }

        @Override
        void onLoop() {
            operation.cancel(meant);
        }
    }
}
