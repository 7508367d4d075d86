package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.CLD_DUMPED;
import static dev.carillon.sys.layout.Constants.CLD_EXITED;

import dev.carillon.ClosedException;
import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.TimerHandle;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.ChildState;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end of one child, once.
 *
 * <p>States: WATCHED (its pidfd is on a loop), LOOKED_FOR (it has no pidfd, or the loop could not watch that: a timer of
 * the loop looks for its end and tries to watch it) -> ENDED (status or failure known, the pidfd closed). If the loop ends
 * first, the watch moves to the shared loop. If that has ended, too, or its thread sits in a callback, since the VM exits,
 * it is LEFT: {@link LastWatch} looks for its end.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ChildWatch implements LoopService {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    private final ChildReference child;
    private EventLoop loop;
    private @Nullable Watch watch;
    private @Nullable TimerHandle timer;

    /** How often it was begun to watch: what comes late from an earlier time is known by it. */
    private int turn;

    private final List<ExitCallback> callbacks = new ArrayList<>();
    private boolean ended;
    private boolean left;
    private @Nullable ExitStatus status;
    private @Nullable Throwable failure;

    /** Made before the child is, so that behind the spawn there is little left that can fail. */
    ChildWatch(Sys sys, EventLoop loop) {
        child = new ChildReference(sys);
        this.loop = loop;
    }

    /**
     * The child was started. If this fails, it is ended: nobody would ever know of it.
     *
     * <p>The pid cannot mean another process yet: only we can take its end, unless SIGCHLD is ignored here.
     */
    synchronized void begin(int pid) {
        child.isProcess(pid);
        boolean begun = false;
        try {
            attachToOneOf(loop);
            begun = true;
        } finally {
            if (!begun) {
                ended = true;
                stopWatching();
                child.endNow();
            }
        }
    }

    /** Where both loops refuse, the VM exits. */
    private void attachToOneOf(EventLoop first) {
        try {
            attach(first);
        } catch (RejectedExecutionException ends) {
            try {
                attach(EventLoop.shared());
            } catch (RejectedExecutionException exits) {
                leave();
            }
        }
    }

    private void attach(EventLoop to) {
        loop = to;
        to.register(this);
        boolean attached = false;
        try {
            if (to.isStopping()) {
                // Its end, or the exit of the VM, may have passed by this one already.
                throw new RejectedExecutionException(to + " is stopping");
            }
            watch(FIRST_PAUSE);
            attached = true;
        } finally {
            if (!attached) {
                to.unregister(this);
            }
        }
    }

    /** Of all loops. */
    private void leave() {
        stopWatching();
        LastWatch.take(this);
        left = true;
    }

    /** The watching begins later, on the loop thread, and may fail there. */
    // r[impl process.without-pidfd]
    private void watch(Duration pause) {
        int mine = ++turn;
        if (child.open()) {
            watch = loop.watch(child.number(), this::look, unwatchable -> lookAfter(pause, mine));
        } else {
            lookAfter(pause, mine);
        }
    }

    private synchronized void lookAfter(Duration pause, int mine) {
        if (!ended && mine == turn) {
            timer = loop.schedule(pause, () -> lookAndWatch(pause, mine));
        }
    }

    private void lookAndWatch(Duration pause, int mine) {
        synchronized (this) {
            if (mine != turn) {
                return;
            }
        }
        look();
        synchronized (this) {
            if (!ended && mine == turn) {
                Duration doubled = pause.multipliedBy(2);
                watch(doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE);
            }
        }
    }

    /** Takes the end if it is there. */
    // r[impl process.exit] r[impl process.java]
    private void look() {
        List<ExitCallback> waiting;
        synchronized (this) {
            if (ended || !takeEnd()) {
                return;
            }
            ended = true;
            stopWatching();
            loop.unregister(this);
            child.close();
            waiting = takeCallbacks();
        }
        tellAll(waiting, status, failure);
    }

    private boolean takeEnd() {
        try {
            ChildState state = child.reap();
            if (state == null) {
                return false;
            }
            status = statusOf(state);
        } catch (SyscallException lost) {
            failure = unknown(child.pid(), lost);
        } catch (OutOfMemoryError full) {
            failure = full; // its end is taken, and will not be told a second time
        }
        return true;
    }

    private static ExitStatus statusOf(ChildState state) {
        return state.code() == CLD_EXITED
                ? ExitStatus.exited(state.status())
                : ExitStatus.terminated(Signal.of(state.status()), state.code() == CLD_DUMPED);
    }

    private static IllegalStateException unknown(int pid, Throwable cause) {
        return new IllegalStateException(
                "the end of child " + pid + " was taken by somebody else: do not ignore SIGCHLD in this process, and"
                        + " wait for no children but one's own",
                cause);
    }

    private List<ExitCallback> takeCallbacks() {
        List<ExitCallback> waiting = List.copyOf(callbacks);
        callbacks.clear();
        return waiting;
    }

    /** One that throws must not keep the others from being told. */
    private static void tellAll(List<ExitCallback> all, @Nullable ExitStatus how, @Nullable Throwable why) {
        Throwable first = null;
        for (ExitCallback callback : all) {
            try {
                callback.ended(how, why);
            } catch (RuntimeException | Error thrown) {
                if (first == null) {
                    first = thrown;
                } else {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        } else if (first instanceof RuntimeException runtime) {
            throw runtime;
        }
    }

    private void stopWatching() {
        turn++;
        if (watch != null) {
            watch.close();
            watch = null;
        }
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Looks for its end when no loop does any more; true when there is nothing more to be looked for. */
    boolean lookLast() {
        look();
        synchronized (this) {
            return ended;
        }
    }

    @Override
    public void onLoopEnd() {
        // It may have ended just now, and then nobody else has to watch it.
        look();
        List<ExitCallback> waiting;
        synchronized (this) {
            if (ended || left || isMoved()) {
                return;
            }
            waiting = takeCallbacks();
        }
        tellAll(waiting, null, failure);
    }

    /** The loop may never come to its end: its thread may be what called exit. */
    @Override
    public synchronized void onExit() {
        if (!ended && !left) {
            leave();
        }
    }

    // r[impl process.loop-end]
    private boolean isMoved() {
        stopWatching();
        ClosedException nobody = new ClosedException("the loop ended before child " + child.pid()
                + ", and no other one watches it; it lives, and can be sent signals");
        EventLoop before = loop;
        try {
            EventLoop shared = EventLoop.shared();
            if (before != shared) {
                attach(shared);
                return true;
            }
        } catch (RuntimeException | Error exits) {
            nobody.addSuppressed(exits);
        }
        try {
            leave();
            return true;
        } catch (RuntimeException | Error noThread) {
            nobody.addSuppressed(noThread);
            left = true;
            failure = nobody;
            return false;
        }
    }

    /** Calls back now if the child has ended, else when it does. */
    Watch onExit(ExitCallback callback) {
        synchronized (this) {
            if (!ended && failure == null) {
                callbacks.add(Objects.requireNonNull(callback, "callback"));
                return () -> forget(callback);
            }
        }
        callback.ended(status, failure);
        return () -> {};
    }

    private synchronized void forget(ExitCallback callback) {
        callbacks.remove(callback);
    }

    synchronized int pid() {
        return child.pid();
    }

    /** Where a loop will not tell any more, or not soon, the kernel is asked. */
    synchronized boolean hasEnded() {
        return ended || ((left || loop.isStopping()) && child.isOver());
    }

    /** Does something to the child; false if it has ended. */
    synchronized boolean signal(ToIntFunction<ChildReference> sender) {
        // Under the lock its end is not taken, and the calls do not block.
        if (ended || (left && child.isOver())) {
            return false;
        }
        int result = sender.applyAsInt(child);
        if (result == -Errno.EAGAIN) {
            throw Failure.of("pidfd_send_signal", result, "too many signals are pending (ulimit -i)");
        }
        return result == 0;
    }
}
