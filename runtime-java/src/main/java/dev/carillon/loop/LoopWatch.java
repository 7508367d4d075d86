package dev.carillon.loop;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.access.WatchedDescriptor;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.StackRoom;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A watch. When the descriptor is ready, the loop thread posts this object itself. */
final class LoopWatch extends WatchedDescriptor implements Watch {
    private final Home home;
    private final int number;
    private final Runnable onReadable;

    /** Null if the error handler gets failures. */
    private final @Nullable Consumer<Throwable> onFailure;

    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean isPosted;

    /** Its loop ends, and {@link #onFailure} was not called yet. Loop thread. */
    private boolean isOrphaned;

    /** The parts of the loop that a watch uses. */
    record Home(LoopThread thread, LoopState state, Inbox inbox, RingQueue<Object> local, Poller poller) {}

    private LoopWatch(Home home, int number, Runnable onReadable, @Nullable Consumer<Throwable> onFailure) {
        this.home = home;
        this.number = number;
        this.onReadable = Objects.requireNonNull(onReadable, "onReadable");
        this.onFailure = onFailure;
    }

    // r[impl io.closed-loop]
    static Watch open(Home home, int number, Runnable onReadable, @Nullable Consumer<Throwable> onFailure) {
        if (number < 0) {
            throw new IllegalArgumentException("fd=" + number + ": a descriptor is not negative");
        }
        // The caller has opened a descriptor, and closes it if what follows fails.
        StackRoom.ensureAround();
        home.state.ensureAccepting();
        LoopWatch watch = new LoopWatch(home, number, onReadable, onFailure);
        if (!home.inbox.command(LoopCommand.of(watch::begin))) {
            throw home.state.refused();
        }
        return watch;
    }

    // r[impl io.watch]
    private void begin() {
        if (closed.get()) {
            return;
        }
        if (home.state.isEnding()) {
            fail(orphaned());
            return;
        }
        try {
            watchUnlessClosed();
        } catch (RuntimeException | Error failure) {
            if (onFailure == null) {
                throw failure;
            }
            fail(failure);
        }
    }

    private void fail(Throwable failure) {
        if (onFailure != null && closed.compareAndSet(false, true)) {
            onFailure.accept(failure);
        }
    }

    private ClosedException orphaned() {
        return new ClosedException(
                "watch of fd=" + number + ": " + home.thread + " ends, and watches nothing any more");
    }

    /**
     * Under the lock that the close takes: when the close has returned, the poller has its copy, or never makes one. The owner
     * closes the descriptor next, and the number is another's.
     */
    // r[impl io.watch-number]
    private synchronized void watchUnlessClosed() {
        if (!closed.get()) {
            watch();
        }
    }

    private void watch() {
        try {
            home.poller.watch(this);
        } catch (SyscallException failure) {
            throw Failure.about(failure, "watch of fd=" + number, advice(failure.errno()));
        }
    }

    /** Null where the errno alone says what to do. */
    private static @Nullable String advice(int errno) {
        return switch (errno) {
            case Errno.EBADF -> "is it open in this process?";
            case Errno.ENOSPC -> "this user watches as much as it may; raise fs.epoll.max_user_watches";
            default -> null;
        };
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void ready() {
        if (!isPosted) {
            home.local.add(this);
            isPosted = true;
        }
    }

    @Override
    public void loopEnds() {
        if (!isOrphaned && onFailure != null && !closed.get()) {
            ready();
            isOrphaned = true;
        }
    }

    @Override
    public void onLoop() {
        isPosted = false;
        if (isOrphaned) {
            fail(orphaned());
        } else if (!closed.get()) {
            onReadable.run();
        }
    }

    // r[impl io.watch-again]
    @Override
    public void again() {
        home.thread.ensureRunsHere("Watch.again()");
        home.poller.again(this);
    }

    @Override
    public void close() {
        if (closed.get()) {
            return;
        }
        StackRoom.ensure();
        // First the command: where memory is short for it, the watch can be closed again.
        LoopCommand ending = LoopCommand.of(() -> home.poller.unwatch(this));
        if (end()) {
            home.inbox.command(ending);
        }
    }

    private synchronized boolean end() {
        return closed.compareAndSet(false, true);
    }
}
