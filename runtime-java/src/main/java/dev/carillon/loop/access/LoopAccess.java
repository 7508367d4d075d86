package dev.carillon.loop.access;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a loop offers to the handles and operations that live on it, besides its public methods.
 *
 * <p><b>Threading:</b> any thread, unless a method says otherwise.
 */
public abstract class LoopAccess implements ErrorSink {
    private static volatile @Nullable Function<Executor, LoopAccess> door;

    /** Only the loop makes one. */
    protected LoopAccess() {}

    /** The access to a loop. */
    public static LoopAccess of(Executor loop) {
        Objects.requireNonNull(loop, "loop");
        return Objects.requireNonNull(door, "a loop opens the door before there is one")
                .apply(loop);
    }

    /** The class of the loops calls this when it is loaded. */
    public static void openDoor(Function<Executor, LoopAccess> opened) {
        door = opened;
    }

    /** Whether the calling thread runs the loop at this moment, and may touch what is the loop thread's. */
    public abstract boolean runsHere();

    /**
     * Between two runs, lets the thread of the loop touch what is the loop thread's, until {@link #giveBack}; meanwhile no
     * other thread can end the loop. False on other threads, and where another thread is ending the loop already.
     */
    public abstract boolean borrow();

    /** Ends what {@link #borrow} began. */
    public abstract void giveBack();

    /** Sends a command to the loop; false when the loop is stopping, or too many wait. Not on the loop's thread. */
    public abstract boolean post(LoopCommand command);

    /**
     * Runs or posts a command that must happen as long as the loop lives; false when the loop has ended. The caller has made
     * sure of room on the stack before it decided on this command.
     */
    public abstract boolean command(LoopCommand command);

    /**
     * Takes out a completion that is about to be called; false if this iteration has allowed enough of that. On the loop
     * thread.
     */
    public abstract boolean tryTake(LoopCommand completion);

    /**
     * Does something when the VM exits, in the thread of the hook that stops the loops, behind the holds of the exit, and whatever
     * state this loop is in. It is the process that keeps the task, until it is removed. Where the hook has acted already, nothing
     * is done.
     */
    public abstract void addExitTask(Runnable task);

    /** Takes back {@link #addExitTask}; it may be under way. */
    public abstract void removeExitTask(Runnable task);

    /** The exception that says why the loop refused a command. */
    public abstract RejectedExecutionException refused();

    /** Whether the loop accepts nothing any more, not even from its own thread. */
    public abstract boolean isEnding();

    /** Throws if it is too late to open something on the loop; makes sure of room on the stack. */
    public abstract void ensureAccepting();

    /** Throws where a wait for this loop would never end, or would block another one. */
    public abstract void ensureMayWait(String what);

    /** The loop's clock. */
    public abstract long nanoTime();

    /** What polls for the loop. */
    public abstract Poller poller();
}
