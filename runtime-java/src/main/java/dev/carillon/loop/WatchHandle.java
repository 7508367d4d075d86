package dev.carillon.loop;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.StackRoom;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A watch; on the loop thread it is itself what is posted when the descriptor is ready. */
final class WatchHandle extends LoopCommand implements Watch {
    private final PollingLoop loop;
    private final int number;
    private final Runnable onReadable;

    /** Null if that is for the error handler. */
    private final @Nullable Consumer<Throwable> onFailure;

    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean isPosted;

    /** Its loop ends, and this is not told yet; on the loop thread. */
    private boolean isOrphaned;

    /** The backend's; on the loop thread. */
    IoBackend.@Nullable Registration registration;

    private WatchHandle(PollingLoop loop, int number, Runnable onReadable, @Nullable Consumer<Throwable> onFailure) {
        this.loop = loop;
        this.number = number;
        this.onReadable = Objects.requireNonNull(onReadable, "onReadable");
        this.onFailure = onFailure;
    }

    // r[impl io.closed-loop]
    static Watch open(PollingLoop on, int number, Runnable onReadable, @Nullable Consumer<Throwable> onFailure) {
        if (number < 0) {
            throw new IllegalArgumentException("fd=" + number + ": a descriptor is not negative");
        }
        PollingLoop loop = PollingLoop.accepting(on);
        WatchHandle watch = new WatchHandle(loop, number, onReadable, onFailure);
        if (!loop.command(LoopCommand.of(watch::begin))) {
            throw loop.refused();
        }
        return watch;
    }

    // r[impl io.watch]
    private void begin() {
        if (closed.get()) {
            return;
        }
        if (loop.isEnding()) {
            fail(orphaned());
            return;
        }
        try {
            watch();
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
        return new ClosedException("watch of fd=" + number + ": " + loop + " ends, and watches nothing any more");
    }

    private void watch() {
        try {
            loop.io().watch(this);
        } catch (SyscallException failure) {
            throw SocketFailures.about(failure, "watch of fd=" + number, advice(failure.errno()));
        }
    }

    /** Null where the number of the error alone tells what to do. */
    private static @Nullable String advice(int errno) {
        return switch (errno) {
            case Errno.EBADF -> "is it open in this process?";
            case Errno.ENOSPC -> "this user watches as much as it may; raise fs.epoll.max_user_watches";
            default -> null;
        };
    }

    int number() {
        return number;
    }

    /** The backend saw an event. */
    void ready() {
        if (!isPosted) {
            loop.work().local.add(this);
            isPosted = true;
        }
    }

    /** The loop ends, and somebody may still wait for it. May be called often. */
    void loopEnds() {
        if (!isOrphaned && onFailure != null && !closed.get()) {
            ready();
            isOrphaned = true;
        }
    }

    @Override
    void onLoop() {
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
        loop.ensureInLoop("Watch.again()");
        loop.io().again(this);
    }

    @Override
    public void close() {
        if (closed.get()) {
            return;
        }
        StackRoom.ensure();
        // First the command: where memory is short for it, the watch can be closed again.
        LoopCommand ending = LoopCommand.of(() -> loop.io().unwatch(this));
        if (closed.compareAndSet(false, true)) {
            loop.command(ending);
        }
    }
}
