package dev.carillon.io.backend;

import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.queue.Chain;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.StackRoom;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * An operation as the loop and its backend see it: what its user wants, how far it has come, and its result.
 *
 * <p><b>Threading:</b> {@link #cancel}: any thread. Starting: any thread, but one at a time; the rest: the loop thread.
 */
public abstract class Request extends LoopCommand {
    private static final int IDLE = 0;
    private static final int POSTED = 1;
    private static final int WAITING = 2;
    private static final int DELIVERING = 3;

    /** The kinds of operations, and the side on which each waits. */
    public enum Kind {
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
        AWAIT_PRIORITY(true),
        SHUTDOWN(false),
        OPEN(true);

        /** Whether it waits for input. */
        public final boolean input;

        Kind(boolean input) {
            this.input = input;
        }
    }

    private static final VarHandle STATE;
    private static final VarHandle EPOCH;
    private static final VarHandle TARGET;
    private static final VarHandle CANCELLED;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Request.class, "state", int.class);
            EPOCH = MethodHandles.lookup().findVarHandle(Request.class, "epoch", int.class);
            CANCELLED = MethodHandles.lookup().findVarHandle(Request.class, "cancelled", int.class);
            TARGET = MethodHandles.lookup().findVarHandle(Request.class, "target", Target.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** IDLE -> POSTED (start) -> WAITING (backend) -> DELIVERING (backend) -> IDLE (right before the completion). */
    @SuppressWarnings("unused") // through STATE
    private volatile int state = IDLE;

    /**
     * Counts starts and ends, so that a late cancel does not hit the next start. One start has one number from its begin to
     * its end, and shares it with no start before: a cancel that comes between two starts must not count as a cancel of the
     * second.
     */
    private int epoch;

    /** The epoch of the start whose cancel was sent last. */
    private volatile int cancelled = -1;

    private boolean cancelRequested;

    // The request; the handle sets it before the start.

    public Kind kind = Kind.READ;

    private @Nullable Target target;

    public @Nullable ByteBuffer buffer;

    public ByteBuffer @Nullable [] buffers;

    /** In a file, or -1 where the descriptor's own position counts. */
    public long position;

    /** Whether it goes on until {@link #wanted} bytes were moved. */
    public boolean whole;

    public long wanted;

    public @Nullable SocketAddress address;

    /** The part that only some kinds need. */
    public @Nullable Argument argument;

    public long deadline = TimerHeap.NEVER;

    /** How long each start may take, or null; not changed while it is pending. */
    private @Nullable Duration atMost;

    // Only the backend uses these.

    /** How far it has come: the phase of an accept or a connect; of several buffers, how many are done with. */
    public int phase;

    public @Nullable TimerNode expiry;

    // The result.
    private long result;
    private @Nullable Object value;
    private @Nullable Throwable failure;

    /** The addresses of the last buffers. */
    public final BufferAddress bufferAddress = new BufferAddress();

    /** A request that can be started again and again. */
    protected Request() {}

    /** Calls its completion; on the loop thread. */
    protected abstract void completed();

    /** Bytes that were moved; -1 where a read met the end. */
    public final long result() {
        return result;
    }

    /** What an accept, a connect, a receive or an opening made; else null. */
    public final @Nullable Object value() {
        return value;
    }

    /** Why it failed, or null: a CancellationException after {@link #cancel}, a ClosedException after a close. */
    public final @Nullable Throwable failure() {
        return failure;
    }

    /** Whether it was started and its completion was not called yet. */
    public final boolean isPending() {
        return (int) STATE.getAcquire(this) != IDLE;
    }

    /** Takes the completion back, if it is about to be called and this iteration still allows that. */
    // r[impl io.take]
    public final boolean tryTake() {
        Target on = (Target) TARGET.getAcquire(this);
        if (on == null || !on.loop.runsHere() || !isDelivering() || !on.loop.tryTake(this)) {
            return false;
        }
        clear();
        STATE.setRelease(this, IDLE);
        return true;
    }

    /** Asks the last start that the caller knows of to end. */
    public final void cancel() {
        StackRoom.ensure();
        // The epoch first: if the loop finds it unchanged, the target is of that start, and the loop its own. The other
        // way
        // round, the thread of an old loop could touch an operation that was started on another loop meanwhile.
        int meant = (int) EPOCH.getAcquire(this);
        Target on = (Target) TARGET.getAcquire(this);
        if (on == null || !isPending()) {
            return;
        }
        if (on.loop.runsHere()) {
            cancel(meant);
        } else if (cancelled != meant) {
            send(new Cancel(this, meant), on.loop);
        }
    }

    /** Sends one cancel per start, so that repeated cancels do not fill the queue. */
    private void send(Cancel cancel, LoopAccess loop) {
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
        Target on = target;
        if (meant != epoch || on == null) {
            return;
        }
        int now = (int) STATE.getAcquire(this);
        if (now == POSTED) {
            cancelRequested = true;
        } else if (now == WAITING) {
            on.backend.cancel(this, wasCancelled());
        }
    }

    /** Begins a start: the caller sets what is wanted next. */
    public final Request claim(Kind wanted, Target on) {
        // This room serves the next steps of the caller, too: if they failed before the submit, no code would unclaim
        // the
        // request.
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
        Duration limit = atMost;
        if (limit != null) {
            deadline = Deadlines.after(on.loop.nanoTime(), limit);
        }
        // Last: from now on others can cancel it.
        TARGET.setRelease(this, on);
        return this;
    }

    /** Ends a start that did not come about. */
    public final void unclaim() {
        clear();
        STATE.setRelease(this, IDLE);
    }

    /** Gives each start from now on so much time. */
    public final void within(Duration limit) {
        if (isPending()) {
            throw new IllegalStateException("kind=" + kind
                    + ": this operation is pending; set its time before it is started, or in its completion");
        }
        atMost = limit;
    }

    /**
     * Its turn has come. From the queue of other threads the loop begins it; from the completions it calls the completion.
     */
    @Override
    public final void onLoop() {
        if (isDelivering()) {
            clear();
            STATE.setRelease(this, IDLE);
            completed();
        } else if (cancelRequested) {
            target().backend.refuse(this, wasCancelled());
        } else {
            target().backend.start(this);
        }
    }

    /** The cause of a cancel. Where there is no memory for it, the OutOfMemoryError is the cause. */
    // r[impl io.told]
    private Throwable wasCancelled() {
        try {
            return new CancellationException("the operation was cancelled: " + kind);
        } catch (OutOfMemoryError memoryIsShort) {
            return memoryIsShort;
        }
    }

    /** The target that it was started on; only while it is pending. */
    public final Target target() {
        return Objects.requireNonNull(target, "this operation was not started");
    }

    /** The request waits in the backend from now on. */
    public final void waiting() {
        STATE.setRelease(this, WAITING);
    }

    public final boolean isWaiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    public final boolean isDelivering() {
        return (int) STATE.getAcquire(this) == DELIVERING;
    }

    final void delivering() {
        STATE.setRelease(this, DELIVERING);
    }

    private void clear() {
        EPOCH.setRelease(this, epoch + 1);
        TARGET.setRelease(this, null);
        buffer = null;
        buffers = null;
        address = null;
        argument = null;
    }

    /** Makes it go on until so many bytes were moved, which is all that remains in its buffers. */
    public final Request untilAll(long bytes) {
        whole = true;
        wanted = bytes;
        return this;
    }

    /** The buffer of a request that has one buffer. */
    public final ByteBuffer single() {
        ByteBuffer one = buffer;
        if (one == null) {
            throw new IllegalStateException("buffer=null: " + kind + " was started without one");
        }
        return one;
    }

    /** The first of several buffers that is not done with. */
    public final int firstWithRoom(ByteBuffer[] several) {
        int first = phase;
        while (first < several.length && !several[first].hasRemaining()) {
            first++;
        }
        phase = first;
        return first;
    }

    /** Whether bytes are left to be moved. */
    final boolean hasRemaining() {
        ByteBuffer[] several = buffers;
        return several == null ? single().hasRemaining() : firstWithRoom(several) < several.length;
    }

    /** Runs the lines that must not fail half-way for want of memory once. */
    static void rehearse() {
        Request request = new Request() {
            @Override
            protected void completed() {
                // Done.
            }
        };
        Chain<Request> chain = new Chain<>();
        chain.add(request);
        request.waiting();
        if (request.isWaiting() && request.isPending()) {
            request.delivering();
            request.onLoop();
        }
        chain.poll();
        request.unclaim();
    }

    public final void succeed(long count) {
        result = count;
    }

    public final void succeed(Object made) {
        value = made;
    }

    public final void fail(Throwable cause) {
        failure = cause;
    }

    private static final class Cancel extends LoopCommand {
        private final Request request;
        private final int meant;

        Cancel(Request request, int meant) {
            this.request = request;
            this.meant = meant;
        }

        @Override
        public void onLoop() {
            request.cancel(meant);
        }
    }
}
