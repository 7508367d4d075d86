package dev.carillon.io;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.sys.BackgroundCloser;
import dev.carillon.sys.Fd;
import dev.carillon.sys.StackRoom;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor on a loop: what all handles have in common.
 *
 * <p>What returns a future ends in {@code Async}; the same name without it takes an {@link Operation}. In Kotlin that name
 * is left to the functions that suspend, which a member of the same shape would hide.
 */
// r[impl io.close]
public abstract class Handle implements AutoCloseable {
    private final EventLoop eventLoop;
    private final LoopAccess loop;
    private final @Nullable Fd fd;
    private final Target target;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();

    /**
     * Takes a descriptor.
     *
     * @param fd null if the number is only borrowed
     */
    Handle(EventLoop eventLoop, @Nullable Fd fd, int borrowed, Target.Kind kind) {
        this.eventLoop = eventLoop;
        this.fd = fd;
        loop = LoopAccess.of(eventLoop);
        target = new OnLoop(kind, fd == null ? borrowed : fd.acquire());
    }

    /** What the backend sees of this handle. */
    private final class OnLoop extends Target {
        OnLoop(Kind kind, int number) {
            super(Handle.this.loop, kind, number);
        }

        @Override
        public boolean isOpen() {
            return Handle.this.isOpen();
        }

        @Override
        public String toString() {
            return Handle.this.toString();
        }
    }

    final LoopAccess loop() {
        return loop;
    }

    final Target target() {
        return target;
    }

    final int number() {
        return target.number;
    }

    /** The loop that it lives on. Any thread. */
    public final EventLoop eventLoop() {
        return eventLoop;
    }

    /** Whether nobody has closed it. Any thread. */
    public final boolean isOpen() {
        return !closed.get();
    }

    /**
     * Closes it: new operations fail at once, those that wait fail with a ClosedException, and the descriptor is closed
     * on the loop thread, or here if the loop has ended. A second call does nothing.
     *
     * <p><b>Threading:</b> any thread. On another thread than the loop's it does not wait, see {@link #closeAsync}.
     */
    @Override
    public final void close() {
        closeOnce();
    }

    /** Closes it, as {@link #close}; the result is there when the descriptor is closed. Any thread. */
    public final CompletableFuture<@Nullable Void> closeAsync() {
        closeOnce();
        return gone;
    }

    /** What the loop needs is there before the handle counts as closed: without memory for it, one can close it again. */
    // r[impl io.close-memory]
    private void closeOnce() {
        if (closed.get()) {
            return;
        }
        StackRoom.ensureAround();
        Closing closing = new Closing();
        if (closed.compareAndSet(false, true) && !loop.command(closing)) {
            closeDescriptor();
        }
    }

    /** From here on the descriptor is closed, whatever there is no memory for. */
    private final class Closing extends LoopCommand {
        private final ClosedException cause = closedBecause("it was closed while the operation waited");

        @Override
        public void onLoop() {
            try {
                target.backend.release(target, cause);
            } finally {
                closeDescriptor();
            }
        }
    }

    private void closeDescriptor() {
        try {
            beforeClose();
        } finally {
            closeFd();
        }
    }

    private void closeFd() {
        if (fd == null) {
            gone.complete(null);
            return;
        }
        fd.close();
        if (!isCloseHandedOver(fd)) {
            closed(leave(fd));
        }
    }

    /** Whether another thread closes it. Where there is no memory to find that out, or for that, nobody else does. */
    private boolean isCloseHandedOver(Fd last) {
        try {
            if (!mayBlockInClose()) {
                return false;
            }
            BackgroundCloser.run(new Leaving(last));
            return true;
        } catch (OutOfMemoryError memoryIsShort) {
            return false;
        }
    }

    /** Closes it where nobody waits for that, and then has the loop tell. */
    private final class Leaving extends LoopCommand implements Runnable {
        private final Fd last;
        private @Nullable Throwable failure;

        Leaving(Fd last) {
            this.last = last;
        }

        @Override
        public void run() {
            failure = leave(last);
            if (!loop.command(this)) {
                onLoop();
            }
        }

        @Override
        public void onLoop() {
            closed(failure);
        }
    }

    /** Closes the descriptor, as nobody else is inside. */
    private static @Nullable Throwable leave(Fd last) {
        try {
            last.release();
            return null;
        } catch (SyscallException | OutOfMemoryError failure) {
            return failure;
        }
    }

    private void closed(@Nullable Throwable failure) {
        if (failure == null) {
            gone.complete(null);
        } else {
            gone.completeExceptionally(failure);
            loop.report(failure);
        }
    }

    /** Whether to close it could take time, so that the loop must not do it. */
    // r[impl sys.close-elsewhere]
    boolean mayBlockInClose() {
        return false;
    }

    /** The descriptor is still there, but nothing uses it any more. */
    void beforeClose() {}

    final ClosedException closedBecause(String why) {
        return new ClosedException(this + ": " + why);
    }

    /** Claims an operation of this handle: the caller fills in what is wanted and submits it. */
    final Request claim(Operation operation, Request.Kind kind) {
        return operation.request.claim(kind, target);
    }

    /** Starts what was claimed and filled in. Any thread. */
    final void submit(Request request) {
        if (loop.runsHere()) {
            start(request);
        } else if (loop.borrow()) {
            try {
                start(request);
            } finally {
                loop.giveBack();
            }
        } else if (!loop.post(request)) {
            request.unclaim();
            throw loop.refused();
        }
    }

    private void start(Request request) {
        if (loop.isEnding()) {
            request.unclaim();
            throw loop.refused();
        }
        target.backend.start(request);
    }

    /** Starts it with a future; what the starter throws goes to the caller. */
    final <T> CompletableFuture<T> future(Starter starter, Function<Operation, T> result) {
        LoopFuture<T> future = new LoopFuture<>(loop, result, this);
        starter.start(future.operation());
        return future;
    }

    final CompletableFuture<Integer> bytes(Starter starter) {
        return future(starter, done -> (int) done.result());
    }

    final CompletableFuture<@Nullable Void> nothing(Starter starter) {
        return future(starter, done -> null);
    }

    /** What nobody wanted any more when it came; on the loop thread. */
    void putBack(Object value) {
        if (value instanceof Handle handle) {
            handle.close();
        } else if (value instanceof ReceivedDescriptors received) {
            received.descriptors().forEach(PassedDescriptor::close);
        }
    }

    static <T> T made(Operation done, Class<T> type) {
        return type.cast(Objects.requireNonNull(done.value(), "value"));
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + target.number + (isOpen() ? "]" : ", closed]");
    }

    /** Claims and submits an operation. */
    @FunctionalInterface
    interface Starter {
        void start(Operation operation);
    }
}
