package dev.carillon.loop;

import dev.carillon.sys.call.Sys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a loop asks of the kernel: it takes operations and brings their completions, by whatever means.
 *
 * <p>A backend gives every operation that it was given back to {@link LoopWork#completions}, once, and never from within
 * {@link #start}.
 *
 * <p><b>Threading:</b> the loop thread, but {@link #wake}, which is for any.
 */
abstract class IoBackend implements AutoCloseable {
    /** A timeout that never ends. */
    static final long FOR_EVER = -1;

    static IoBackend open(BackendKind backend, PollingLoop loop, Sys sys) {
        return switch (backend) {
            case EPOLL -> new EpollBackend(loop, sys);
            case AUTO, IO_URING, PORTABLE ->
                throw new IllegalArgumentException("backend=" + backend + ": cannot be opened");
        };
    }

    /** Never AUTO. */
    abstract BackendKind kind();

    /** Waits for something to happen, and takes in what did; 0 does not wait. */
    abstract void poll(long timeoutNanos);

    /** Ends a poll, or the next one. */
    abstract void wake();

    /** Begins an operation. */
    abstract void start(Operation operation);

    /** Gives an operation that was not begun back, as failed. */
    abstract void refuse(Operation operation, Throwable cause);

    /** Ends an operation that waits, as failed; nothing if it does not wait any more. */
    abstract void cancel(Operation operation, Throwable cause);

    /** Something that operations on the input of a handle wait for has come without the kernel. */
    abstract void retry(Handle handle);

    /** Fails what waits on a handle and forgets its descriptor, which is closed next. */
    abstract void release(Handle handle, Throwable cause);

    /** Calls back whenever the descriptor becomes readable. */
    abstract void watch(WatchHandle watch);

    /** Calls back in the next iteration; nothing if it is not watched. Never fails for want of memory. */
    abstract void again(WatchHandle watch);

    /** Ends that. */
    abstract void unwatch(WatchHandle watch);

    /** How many operations wait, watches not counted. */
    abstract long pending();

    /** Whether something is to be tried again without an event. */
    abstract boolean hasDeferred();

    /** The loop ends: fails all that wait, and tells the watches; may be called again. */
    abstract void failAll(Throwable cause);

    /** How many operations were completed, by kind. */
    abstract Map<String, Long> completed();

    @Override
    public abstract void close();

    /** What a backend keeps for a handle. */
    abstract static class Registration {
        final int number;

        @Nullable
        Handle handle;

        Registration(int number) {
            this.number = number;
        }
    }
}
