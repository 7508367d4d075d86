package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.CLD_DUMPED;
import static dev.carillon.sys.layout.Constants.CLD_EXITED;

import dev.carillon.ClosedException;
import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.ChildState;
import dev.carillon.sys.call.Sys;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end of one child, once, through its pidfd on a loop.
 *
 * <p>States: WATCHED (on a loop, the pidfd open) -> ENDED (status or failure known, the pidfd closed). If the loop ends
 * first, the watch moves to the shared loop, so that no zombie is left.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it.
 */
final class ChildWatch implements LoopService {
    private final Sys sys;
    private final @Nullable Fd pidfd;
    private final int pid;
    private EventLoop loop;
    private @Nullable Watch watch;
    private final List<ExitCallback> callbacks = new ArrayList<>();
    private boolean ended;
    private @Nullable ExitStatus status;
    private @Nullable Throwable failure;

    private ChildWatch(Sys sys, int pid, EventLoop loop, @Nullable Fd pidfd) {
        this.sys = sys;
        this.pid = pid;
        this.loop = loop;
        this.pidfd = pidfd;
    }

    /** The pid cannot mean another process yet: only we can take its end, unless SIGCHLD is ignored here. */
    static ChildWatch begin(Sys sys, int pid, EventLoop loop) {
        Fd pidfd = sys.processes().descriptorOf(pid);
        ChildWatch watch = new ChildWatch(sys, pid, loop, pidfd);
        if (pidfd == null) {
            watch.end(null, unknown(pid, null));
        } else {
            watch.watchOn(loop, pidfd.enter());
        }
        return watch;
    }

    private synchronized void watchOn(EventLoop first, int number) {
        try {
            attach(first, number);
        } catch (RejectedExecutionException ends) {
            attach(EventLoop.shared(), number);
        }
    }

    private void attach(EventLoop to, int number) {
        loop = to;
        to.register(this);
        try {
            watch = to.watch(number, () -> ready(number));
        } catch (RejectedExecutionException ends) {
            to.unregister(this);
            throw ends;
        }
    }

    /** On the loop thread. */
    // r[impl process.exit] r[impl process.java]
    private void ready(int number) {
        synchronized (this) {
            if (ended) {
                return;
            }
        }
        try {
            ChildState state = sys.processes().reapDescriptorNow(number);
            if (state != null) {
                end(statusOf(state), null);
            }
        } catch (SyscallException lost) {
            end(null, unknown(pid, lost));
        }
    }

    private static ExitStatus statusOf(ChildState state) {
        return state.code() == CLD_EXITED
                ? ExitStatus.exited(state.status())
                : ExitStatus.terminated(Signal.of(state.status()), state.code() == CLD_DUMPED);
    }

    private static IllegalStateException unknown(int pid, @Nullable Throwable cause) {
        return new IllegalStateException(
                "the end of child " + pid + " was taken by somebody else: do not ignore SIGCHLD in this process, and"
                        + " wait for no children but one's own",
                cause);
    }

    private void end(@Nullable ExitStatus how, @Nullable Throwable why) {
        List<ExitCallback> waiting;
        synchronized (this) {
            ended = true;
            status = how;
            failure = why;
            detach();
            if (pidfd != null) {
                pidfd.close();
                pidfd.leave();
            }
            waiting = List.copyOf(callbacks);
            callbacks.clear();
        }
        tellAll(waiting, how, why);
    }

    /** One that throws must not keep the others from being told. */
    private static void tellAll(List<ExitCallback> all, @Nullable ExitStatus how, @Nullable Throwable why) {
        RuntimeException first = null;
        for (ExitCallback callback : all) {
            try {
                callback.ended(how, why);
            } catch (RuntimeException thrown) {
                if (first == null) {
                    first = thrown;
                } else {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void detach() {
        if (watch != null) {
            watch.close();
            watch = null;
            loop.unregister(this);
        }
    }

    @Override
    public void onLoopEnd() {
        int number;
        synchronized (this) {
            if (ended || watch == null || pidfd == null) {
                return;
            }
            number = pidfd.enter();
            pidfd.leave();
        }
        // It may have ended just now, and then nobody else has to watch it.
        ready(number);
        if (!hasEnded() && !movedToSharedLoop()) {
            end(null, new ClosedException("the loop ended before child " + pid));
        }
    }

    private synchronized boolean movedToSharedLoop() {
        EventLoop before = loop;
        detach();
        EventLoop shared = EventLoop.shared();
        return before != shared && pidfd != null && movedTo(shared, pidfd);
    }

    private boolean movedTo(EventLoop shared, Fd open) {
        int number = open.enter();
        try {
            attach(shared, number);
            return true;
        } catch (RejectedExecutionException exits) {
            return false; // the VM is about to end, and init takes its children
        } finally {
            open.leave();
        }
    }

    /** Calls back now if the child has ended, else when it does. */
    Watch onExit(ExitCallback callback) {
        synchronized (this) {
            if (!ended) {
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

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Does something with the pidfd; false if the child has ended. */
    boolean signal(IntUnaryOperator sender) {
        synchronized (this) {
            // Under the lock the number is not closed, and the calls do not block.
            if (ended || pidfd == null) {
                return false;
            }
            int number = pidfd.enter();
            try {
                return Child.wasSent(sender.applyAsInt(number));
            } finally {
                pidfd.leave();
            }
        }
    }
}
