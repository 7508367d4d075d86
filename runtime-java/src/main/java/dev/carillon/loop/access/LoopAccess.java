package dev.carillon.loop.access;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What handles and operations may ask of the loop that they live on, beside what users may.
 *
 * <p><b>Threading:</b> any thread, if nothing else is said.
 */
public abstract class LoopAccess implements ErrorSink {
    private static volatile @Nullable Function<Executor, LoopAccess> door;

    /** For the loop, which alone makes one. */
    protected LoopAccess() {}

    /** The access to a loop. */
    public static LoopAccess of(Executor loop) {
        Objects.requireNonNull(loop, "loop");
        return Objects.requireNonNull(door, "a loop opens the door before there is one")
                .apply(loop);
    }

    /** For the class of the loops, when it is loaded. */
    public static void openDoor(Function<Executor, LoopAccess> opened) {
        door = opened;
    }

    /** Whether the caller runs the loop at this moment, and may touch what is the loop thread's. */
    public abstract boolean runsHere();

    /**
     * Between two runs, the thread of the loop holds off those who would end it, until {@link #giveBack}. False on other
     * threads, and where somebody is ending it already.
     */
    public abstract boolean borrow();

    /** Ends what {@link #borrow} began. */
    public abstract void giveBack();

    /** Sends a command there; false when the loop is stopping, or too many wait. Not for the loop's thread. */
    public abstract boolean post(LoopCommand command);

    /**
     * Runs or posts something that must be done as long as the loop lives; false when it has ended. The caller has looked
     * for room on the stack, before it decided that this is done.
     */
    public abstract boolean command(LoopCommand command);

    /**
     * Takes a completion out that is about to be called; false if an iteration has seen so many of that that others have
     * their turn. On the loop thread.
     */
    public abstract boolean tryTake(LoopCommand completion);

    /** Why the loop did not take it. */
    public abstract RejectedExecutionException refused();

    /** Whether the loop takes nothing new any more, not even from its own thread. */
    public abstract boolean isEnding();

    /** Throws if the loop would not take what is about to be opened on it; has looked for room on the stack. */
    public abstract void ensureAccepting();

    /** Throws where a wait for this loop would never end, or would block another one. */
    public abstract void ensureMayWait(String what);

    /** The loop's clock. */
    public abstract long nanoTime();

    /** What polls for the loop. */
    public abstract Poller poller();
}
