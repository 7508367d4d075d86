package dev.carillon.io;

import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A handle that reads and writes bytes. */
// r[impl io.partial]
public abstract class StreamHandle extends Handle {
    StreamHandle(EventLoop loop, Fd fd, Target.Kind kind) {
        super(loop, fd, 0, kind);
    }

    /**
     * Reads what is there, a byte at least.
     *
     * <p><b>Threading:</b> any thread; reads are served in the order in which they were started.
     *
     * <p><b>Ownership:</b> the buffer is the operation's until its completion. A future that is cancelled is done before
     * that. To learn when the buffer is free again after a cancel, start an {@link Operation}.
     *
     * @param buffer is filled from its position on, which moves; do not touch it before the completion
     * @return how many bytes were read, -1 at the end
     * @throws IllegalArgumentException if the buffer is read-only or has no room
     */
    public final CompletableFuture<Integer> readSomeAsync(ByteBuffer buffer) {
        return bytes(operation -> readSome(buffer, operation));
    }

    /** Reads as {@link #readSomeAsync(ByteBuffer)}, without a future. */
    public final void readSome(ByteBuffer buffer, Operation operation) {
        Buffers.ensureWritable(buffer);
        submit(with(claim(operation, Request.Kind.READ), buffer));
    }

    /** Reads into several buffers, one after the other (scatter); else as {@link #readSomeAsync(ByteBuffer)}. */
    public final CompletableFuture<Integer> readSomeAsync(ByteBuffer... buffers) {
        return bytes(operation -> readSome(buffers, operation));
    }

    /** Reads into several buffers, without a future. */
    public final void readSome(ByteBuffer[] buffers, Operation operation) {
        ByteBuffer[] copy = Buffers.ensureWritable(buffers);
        submit(with(claim(operation, Request.Kind.READ), copy));
    }

    /**
     * Writes what the kernel takes at once, a byte at least.
     *
     * <p><b>Threading:</b> any thread; writes are served in the order in which they were started.
     *
     * @param buffer its position shows how much was taken; do not touch it before the completion
     * @return how many bytes were taken
     * @throws IllegalArgumentException if nothing remains in the buffer
     */
    public final CompletableFuture<Integer> writeSomeAsync(ByteBuffer buffer) {
        return bytes(operation -> writeSome(buffer, operation));
    }

    /** Writes as {@link #writeSomeAsync(ByteBuffer)}, without a future. */
    public final void writeSome(ByteBuffer buffer, Operation operation) {
        Buffers.ensureRemaining(buffer);
        submit(with(claim(operation, Request.Kind.WRITE), buffer));
    }

    /** Writes out of several buffers, one after the other (gather); else as {@link #writeSomeAsync(ByteBuffer)}. */
    public final CompletableFuture<Integer> writeSomeAsync(ByteBuffer... buffers) {
        return bytes(operation -> writeSome(buffers, operation));
    }

    /** Writes out of several buffers, without a future. */
    public final void writeSome(ByteBuffer[] buffers, Operation operation) {
        ByteBuffer[] copy = Buffers.ensureRemaining(buffers);
        submit(with(claim(operation, Request.Kind.WRITE), copy));
    }

    /**
     * Writes all that remains in the buffers; returns how many bytes that was. Any thread.
     *
     * <p>It fails with an IllegalStateException if the position or limit of a buffer changes meanwhile.
     *
     * @throws IllegalArgumentException if nothing remains in the buffers, or a buffer with bytes is there twice
     */
    public final CompletableFuture<Long> writeAllAsync(ByteBuffer... buffers) {
        return future(operation -> writeAll(buffers, operation), Operation::result);
    }

    /** Writes all that remains in the buffers, without a future. */
    public final void writeAll(ByteBuffer[] buffers, Operation operation) {
        ByteBuffer[] copy = Buffers.ensureRemaining(buffers);
        submit(with(claim(operation, Request.Kind.WRITE), copy).untilAll(Buffers.remaining(copy)));
    }

    /** Writes all that remains in a buffer, without a future. */
    public final void writeAll(ByteBuffer buffer, Operation operation) {
        Buffers.ensureRemaining(buffer);
        submit(with(claim(operation, Request.Kind.WRITE), buffer).untilAll(buffer.remaining()));
    }

    /** Waits until there is something to read, the end, or an error. Any thread. */
    public final CompletableFuture<@Nullable Void> pollReadableAsync() {
        return nothing(this::pollReadable);
    }

    /** Waits as {@link #pollReadableAsync()}, without a future. */
    public final void pollReadable(Operation operation) {
        submit(claim(operation, Request.Kind.AWAIT_READABLE));
    }

    /** Waits until something can be written, or an error. Any thread. */
    public final CompletableFuture<@Nullable Void> pollWritableAsync() {
        return nothing(this::pollWritable);
    }

    /** Waits as {@link #pollWritableAsync()}, without a future. */
    public final void pollWritable(Operation operation) {
        submit(claim(operation, Request.Kind.AWAIT_WRITABLE));
    }

    /**
     * Waits for an exceptional event: urgent data of TCP, a trigger of a file in /proc/pressure, a change of a control group's
     * memory.events or cgroup.events (which tell of it so until they are read anew). Any thread.
     *
     * <p>It has its turn among the reads: those that are started later wait behind it. An event that comes between two waits is
     * found by the second.
     *
     * <p><b>See:</b> EPOLLPRI in epoll_ctl(2).
     */
    public final CompletableFuture<@Nullable Void> pollPriorityAsync() {
        return nothing(this::pollPriority);
    }

    /** Waits as {@link #pollPriorityAsync()}, without a future. */
    public final void pollPriority(Operation operation) {
        submit(claim(operation, Request.Kind.AWAIT_PRIORITY));
    }

    static Request with(Request request, ByteBuffer buffer) {
        request.buffer = Objects.requireNonNull(buffer, "buffer");
        return request;
    }

    private static Request with(Request request, ByteBuffer[] buffers) {
        if (buffers.length == 1) {
            request.buffer = buffers[0];
        } else {
            request.buffers = buffers;
        }
        return request;
    }
}
