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
 * A descriptor on a loop; the base of all handles.
 *
 * <p>A method that returns a future ends in {@code Async}; the same name without it takes an {@link Operation}. In Kotlin
 * the bare name belongs to the functions that suspend, which a member of the same shape would hide.
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
        target = new OnLoop(kind, fd == null ? borrowed : number(fd));
    }

    /**
     * The number, without a hold: only this handle closes the descriptor. Where a constructor fails after this, its caller's
     * close is the last and closes it.
     */
    private static int number(Fd fd) {
        int number = fd.acquire();
        fd.release();
        return number;
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

    /** Whether it is open: {@link #close} was not called. Any thread. */
    public final boolean isOpen() {
        return !closed.get();
    }

    /**
     * Closes it. New operations fail at once, those that wait fail with a ClosedException. The loop thread closes the
     * descriptor, or the caller does if the loop has ended. A second call does nothing.
     *
     * <p><b>Threading:</b> any thread. On another thread than the loop's it does not wait for that, see {@link #closeAsync}.
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

    /**
     * Makes what the loop needs before the handle counts as closed: where memory is short for it, the caller can close
     * again.
     */
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

    /**
     * Lets go of the descriptor and does not close it: its number is the caller's then, to be closed or handed on. To everybody else this
     * is a close: new operations fail, and those that wait fail with a ClosedException. An adopted descriptor blocks again if it
     * did before; one that was made here does not.
     *
     * <p>A future that is cancelled has no use for the number: then the descriptor is closed.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws ClosedException if it was closed before
     */
    // r[impl io.detach]
    public final CompletableFuture<Integer> detachAsync() {
        StackRoom.ensureAround();
        Detaching detaching = new Detaching();
        letGo(detaching);
        return detaching.taker;
    }

    /**
     * Lets go of the descriptor, as {@link #detachAsync}, and leaves it to another handle, which has an owner of that number.
     * Nobody who shares the descriptor notices.
     */
    // r[impl io.move]
    final <H extends Handle> CompletableFuture<H> moveTo(Arriving<H> arriving) {
        StackRoom.ensureAround();
        letGo(new LettingGo() {
            @Override
            void letGo() {
                given();
                try {
                    arriving.send();
                } finally {
                    closed(null);
                }
            }
        });
        return arriving.told();
    }

    private void letGo(LettingGo command) {
        if (!closed.compareAndSet(false, true)) {
            throw closedBecause("it has no descriptor any more, since it was closed, detached or moved");
        }
        if (!loop.command(command)) {
            command.letGo();
        }
    }

    private abstract class LettingGo extends LoopCommand {
        private final ClosedException cause = closedBecause("it was detached or moved while the operation waited");

        @Override
        public void onLoop() {
            try {
                target.backend.release(target, cause);
            } finally {
                letGo();
            }
        }

        abstract void letGo();

        /** The descriptor of this handle, which is open, and has no owner any more. */
        final Fd given() {
            Fd given = Objects.requireNonNull(fd, "borrowed numbers have an owner");
            // This hold is for good, and nobody else gets one.
            given.acquire();
            given.close();
            given.awaitAlone();
            return given;
        }
    }

    private final class Detaching extends LettingGo {
        private final CompletableFuture<Integer> taker = new CompletableFuture<>();

        @Override
        void letGo() {
            try {
                beforeClose();
            } finally {
                Fd given = given();
                boolean isTaken = taker.complete(number());
                closed(isTaken ? null : leave(given));
            }
        }
    }

    /** Closes the descriptor on this thread, where the loop never came to know this handle. */
    final void discard() {
        if (closed.compareAndSet(false, true)) {
            closeDescriptor();
        }
    }

    /** Closes the descriptor, whatever there is no memory for. */
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
        // The hold is for the thread that closes it, be it this one.
        fd.acquire();
        fd.close();
        if (!isCloseHandedOver(fd)) {
            closed(leave(fd));
        }
    }

    /** Whether another thread closes it. Where there is no memory to find out or to hand it over, this thread does. */
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

    /** Closes it on a thread of its own, where the close may take long, and then has the loop complete the future. */
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

    /** Closes the descriptor, since no other call is inside. */
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

    /** Whether a close could take time, so that the loop must not make it. */
    // r[impl sys.close-elsewhere]
    boolean mayBlockInClose() {
        return false;
    }

    /** Called while the descriptor is still open and nothing uses it any more. */
    void beforeClose() {}

    final ClosedException closedBecause(String why) {
        return new ClosedException(this + ": " + why);
    }

    /** Claims an operation for this handle; the caller fills in the request and submits it. */
    final Request claim(Operation operation, Request.Kind kind) {
        return operation.request.claim(kind, target);
    }

    /** Starts a request that was claimed and filled in. Any thread. */
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

    /** Starts an operation with a future. What the starter throws goes to the caller. */
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

    /** Takes back a result whose waiter has gone; on the loop thread. */
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
