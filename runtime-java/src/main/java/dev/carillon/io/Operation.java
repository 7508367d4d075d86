package dev.carillon.io;

import dev.carillon.io.backend.Request;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation on a handle, without a future. Futures, coroutines and protocols build on it.
 *
 * <p>Its owner makes it once and starts it as often as needed, one start at a time. It allocates nothing:
 *
 * <pre>{@code
 * Operation read = Operation.of(done -> consume(done.result()));
 * socket.readSome(buffer, read);
 * }</pre>
 *
 * <p><b>Threading:</b> {@link #cancel}: any thread. Starting: any thread, but one at a time; the results: in the completion,
 * until the next start.
 *
 * <p><b>Ownership:</b> buffers belong to the operation from the start to the completion.
 */
public final class Operation {
    /** The part that the loop and its backend see. */
    final Request request;

    private Operation(Completion completion) {
        Objects.requireNonNull(completion, "completion");
        request = new Request() {
            @Override
            protected void completed() {
                completion.completed(Operation.this);
            }
        };
    }

    /** An operation that can be started again and again. */
    public static Operation of(Completion completion) {
        return new Operation(completion);
    }

    /**
     * Gives each start from now on so much time: what is not done then fails with a {@link java.net.SocketTimeoutException}. The
     * loop goes on with the handle. So an operation that is started again and again is the idle timeout of a connection, and leaves
     * no garbage.
     *
     * <p>A {@code writeAll} that runs out of time may have written a part; the positions of its buffers tell.
     *
     * <p><b>Threading:</b> the thread that starts it, while it is not pending.
     *
     * @param atMost how long a start may take; one that the clock cannot count has no end
     * @throws IllegalStateException if it is pending
     */
    // r[impl io.deadline]
    public Operation within(Duration atMost) {
        request.within(Objects.requireNonNull(atMost, "atMost"));
        return this;
    }

    /** Bytes that were moved; -1 where a read met the end. */
    public long result() {
        return request.result();
    }

    /** What an accept, a connect, a receive or an opening made; else null. */
    public @Nullable Object value() {
        return request.value();
    }

    /** Why it failed, or null: a CancellationException after {@link #cancel}, a ClosedException after a close. */
    public @Nullable Throwable failure() {
        return request.failure();
    }

    /** Whether it was started and its completion was not called yet. */
    public boolean isPending() {
        return request.isPending();
    }

    /**
     * Takes the completion back, if it is about to be called. That is so when a start that needed no wait has returned. The
     * results are there then, and the loop does not call the completion. An iteration of the loop allows this for a batch of
     * operations, so that others have their turn.
     *
     * <p><b>Threading:</b> the thread of the loop on which it was started; elsewhere it does nothing.
     *
     * @return whether the results are there; if not, the loop calls the completion in its time
     */
    public boolean tryTake() {
        return request.tryTake();
    }

    /**
     * Asks the operation to end. The loop calls the completion in any case, once: as cancelled, or with the result if that
     * came first.
     *
     * <p><b>Order:</b> a cancel means the last start that its caller knows of, never a later one.
     */
    public void cancel() {
        request.cancel();
    }
}
