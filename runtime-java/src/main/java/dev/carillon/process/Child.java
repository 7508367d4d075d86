package dev.carillon.process;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.io.Descriptor;
import dev.carillon.loop.Watch;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A process that was started by {@link Spawn}.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> its end is taken in any case, so no zombie is left. Its pipes belong to the caller; {@link #close}
 * closes those that are still open.
 *
 * <p><b>See:</b> pidfd_send_signal(2).
 */
public final class Child implements AutoCloseable {
    private final ChildWatch watch;
    private final ProcessEnd exit;
    private final @Nullable Descriptor stdin;
    private final @Nullable Descriptor stdout;
    private final @Nullable Descriptor stderr;

    /**
     * A child that is about to be started.
     *
     * @param pipes our ends of its pipes, in the order of their numbers; null for what is no pipe
     */
    Child(ChildWatch watch, ProcessEnd exit, @Nullable Descriptor[] pipes) {
        this.watch = watch;
        this.exit = exit;
        stdin = pipes[0];
        stdout = pipes[1];
        stderr = pipes[2];
    }

    /** Its number; after its end it may be another's. */
    public int pid() {
        return watch.pid();
    }

    /**
     * How it ended, now or later; asking after its end gives the same.
     *
     * <p>Fails with an IllegalStateException if somebody else took its end: SIGCHLD is ignored in this process, or
     * foreign code waits for any child; with a ClosedException if the loops have ended and there is no thread to look for
     * its end.
     *
     * <p><b>Threading:</b> completed on the loop thread, where waiting for it is refused; while the VM exits and loops are
     * stopped, on a thread of its own. Cancelling it has no effect on the child.
     */
    public CompletableFuture<ExitStatus> exit() {
        return exit.stage(Objects::requireNonNull);
    }

    /** As {@link #exit}, without a future: calls back once, before this returns if it has ended, else where that is completed. */
    public Watch onExit(ExitCallback callback) {
        return exit.onSettled(callback);
    }

    /**
     * Whether its end has not been seen yet. When its loop stops, as in a shutdown hook, the kernel is asked, so this goes
     * on being true of a child that goes on.
     */
    public boolean isAlive() {
        return !watch.hasEnded();
    }

    /**
     * Sends a signal to this very process; another one that has its pid by now is not hit.
     *
     * @return false if it has ended
     */
    public boolean send(Signal signal) {
        return watch.send(signal.number());
    }

    /**
     * Sends a signal with a value, as sigqueue(3) does.
     *
     * @return false if it has ended
     * @throws dev.carillon.SyscallException with EAGAIN if so many signals are pending that it has room for no more
     */
    public boolean queue(Signal signal, int value) {
        return watch.queue(signal.number(), value);
    }

    /** Ends it without any say in it; false if it has ended. */
    public boolean kill() {
        return send(Signal.SIGKILL);
    }

    /**
     * What it reads.
     *
     * @throws IllegalStateException unless it was started with {@code stdin(Stdio.pipe())}
     */
    public Descriptor stdin() {
        return piped("stdin", stdin);
    }

    /**
     * What it writes.
     *
     * @throws IllegalStateException unless it was started with {@code stdout(Stdio.pipe())}
     */
    public Descriptor stdout() {
        return piped("stdout", stdout);
    }

    /**
     * What it writes as errors.
     *
     * @throws IllegalStateException unless it was started with {@code stderr(Stdio.pipe())}
     */
    public Descriptor stderr() {
        return piped("stderr", stderr);
    }

    private Descriptor piped(String name, @Nullable Descriptor end) {
        if (end == null) {
            throw new IllegalStateException(
                    name + " of " + this + " is no pipe; start it with " + name + "(Stdio.pipe())");
        }
        return end;
    }

    /** Closes our ends of its pipes. The child goes on, and its end is still taken. */
    @Override
    public void close() {
        for (Descriptor end : new @Nullable Descriptor[] {stdin, stdout, stderr}) {
            if (end != null) {
                end.close();
            }
        }
    }

    @Override
    public String toString() {
        return "Child[" + pid() + (isAlive() ? "]" : ", ended]");
    }
}
