package dev.carillon.process;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.io.Descriptor;
import dev.carillon.loop.Watch;
import java.time.Duration;
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
    final ChildWatch watch;

    /** The leader of its group; null if that is ours. */
    final @Nullable ChildWatch leader;

    private final ProcessEnd exit;
    private final @Nullable Descriptor stdin;
    private final @Nullable Descriptor stdout;
    private final @Nullable Descriptor stderr;

    /**
     * A child that is about to be started.
     *
     * @param leader of its group; null if that is the one of this process
     * @param pipes our ends of its pipes, in the order of their numbers; null for what is no pipe
     */
    Child(ChildWatch watch, @Nullable ChildWatch leader, ProcessEnd exit, @Nullable Descriptor[] pipes) {
        this.watch = watch;
        this.leader = leader;
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
     * Sends a signal to the whole group of a child that was started with {@link Spawn.Builder#ownGroup}, {@code ownSession} or
     * {@code inGroupOf}: to its leader, the children of that, and so on, unless they left the group.
     *
     * <p>It never hits another group that has the number by now. Before the end of the leader it reaches all; after that, too, from
     * Linux 6.9 on, until the leader is closed. With an older kernel, or without a pidfd, it reaches nobody then.
     *
     * @return false if nobody is in the group, or the leader has ended and the group can no longer be told from another one
     * @throws IllegalStateException if it is in the group of this process, which would get the signal, too
     * @throws dev.carillon.SyscallException with EPERM if all in the group belong to other users
     */
    public boolean sendToGroup(Signal signal) {
        if (leader == null) {
            throw new IllegalStateException(
                    this + " is in the group of this process; start it with ownGroup(), or send to it alone");
        }
        return leader.sendToGroup(signal.number());
    }

    /**
     * Has it end: SIGTERM now, and SIGKILL after a grace if it has not ended by then. If it leads a group, all in that get both
     * signals, also when it has ended itself; a child in the group of another one is ended alone.
     *
     * <p>The time is real, and needs no loop. A later call sends no SIGTERM again, but may shorten the grace. While the VM exits,
     * SIGKILL comes only if the VM is still there.
     *
     * @param grace zero kills at once
     * @return its end, as {@link #exit}. With a group the future waits also until nobody is left there, or SIGKILL was sent; where
     *     that cannot be seen (before Linux 6.9, or without a pidfd) until the grace is over. Cancelling it has no effect
     * @throws IllegalArgumentException if the grace is negative
     * @throws dev.carillon.SyscallException with EPERM if it belongs to another user by now
     */
    public CompletableFuture<ExitStatus> end(Duration grace) {
        return watch.end(Graces.ensureNotNegative(grace));
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

    /** Our end of what is its number 0, 1 or 2; null if that is no pipe. */
    @Nullable
    Descriptor pipe(int number) {
        return number == 0 ? stdin : number == 1 ? stdout : stderr;
    }

    private Descriptor piped(String name, @Nullable Descriptor end) {
        if (end == null) {
            throw new IllegalStateException(
                    name + " of " + this + " is no pipe; start it with " + name + "(Stdio.pipe())");
        }
        return end;
    }

    /**
     * Closes our ends of its pipes. The child goes on, and its end is still taken. If it leads a group, signals to that reach
     * nobody any more when it has ended; until then a group that outlives its leader costs a descriptor.
     */
    @Override
    public void close() {
        watch.closeGroup();
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
