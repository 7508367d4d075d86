package dev.carillon.shm;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.ProcessWatch;
import dev.carillon.process.ProcessWatchException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The process on the other side of a link, which is watched as soon as its number is known. Where it cannot be watched the
 * bell alone tells of its end.
 *
 * <p>The number that a guest writes into the link is the one that it has in its own pid namespace, and a wrong one changes nothing
 * where the host knows better: of a guest that came by the socket the kernel has told the number; one that the host has spawned is
 * that child, whose end its parent learns, so no number is watched.
 *
 * <p><b>Threading:</b> under the lock of its owner, but {@link #pid}, {@link #child}, {@link #isStartedHere}, {@link #isKnownAs},
 * {@link #isToBeSpawned} and {@link #isSpawnedAs}.
 */
final class PeerProcess {
    private static final int OWN_PID = (int) ProcessHandle.current().pid();

    private final IntSupplier pid;
    private final long startTime;

    /** As the kernel has told; negative if it was not asked. */
    private volatile int kernels = -1;

    /** As it was when the link ended, whose memory may be gone meanwhile; negative before. */
    private volatile int last = -1;

    /** What was started for this link; null if that was not done here. */
    private volatile @Nullable Child child;

    /** It will be a child, or is one: what the guest writes is not asked. */
    private volatile boolean isOurs;

    private @Nullable ProcessWatch watch;

    /** It is this process itself, or the number is that of another one, or the kernel refuses. */
    private boolean unwatchable;

    /**
     * Does not watch yet.
     *
     * @param pid 0 as long as it is not known
     * @param startTime of that process; 0 if it is not known
     */
    PeerProcess(IntSupplier pid, long startTime) {
        this.pid = pid;
        this.startTime = startTime;
    }

    /** The kernel has told the number; 0 is a process that cannot be seen from here, and has another one where it runs. */
    void isKnownAs(int told) {
        kernels = told;
    }

    /** Whether it is about to be started; it may attach before {@link #isSpawnedAs} is called. */
    void isToBeSpawned(boolean will) {
        isOurs = will;
    }

    /** It was started for this link. */
    void isSpawnedAs(Child started) {
        child = started;
    }

    /** Whether this process has started it, or is about to. */
    boolean isStartedHere() {
        return isOurs;
    }

    /** Its number; 0 if it cannot be seen, or has not attached. That of a child, whatever it has written. */
    int pid() {
        Child started = child;
        return started != null ? started.pid() : attachedPid();
    }

    /** Its number; 0 as long as it has not attached, or if it cannot be seen. */
    private int attachedPid() {
        int ended = last;
        if (ended >= 0) {
            return ended;
        }
        int told = kernels;
        int own = pid.getAsInt();
        return told < 0 || own == 0 ? own : told;
    }

    /** The link is over: from now on its memory is not asked. */
    void keepPid() {
        last = attachedPid();
    }

    /** The peer, if this process has started it. */
    @Nullable
    Child child() {
        return child;
    }

    /** Whether there is nothing to do at present: it is watched, cannot be, is a child, or is not known yet. */
    boolean isSettled() {
        return watch != null || unwatchable || isOurs || attachedPid() == 0;
    }

    /** Has a loop watch it; the watch if that has just begun, else null. */
    @Nullable
    ProcessWatch begin(EventLoop loop) {
        int number = isSettled() ? 0 : attachedPid();
        if (number == 0) {
            return null;
        }
        if (number == OWN_PID) {
            unwatchable = true;
            return null;
        }
        try {
            watch = meant(ProcessWatch.of(loop, number));
            unwatchable = watch == null;
        } catch (ProcessWatchException refused) {
            // One that does not exist may be in another pid namespace: its bell tells when it has ended.
            unwatchable = refused.reason() != ProcessWatchException.Reason.NO_DESCRIPTOR;
        } catch (SyscallException | RejectedExecutionException later) {
            // Not settled: the owner tries again.
            watch = null;
        }
        return watch;
    }

    private @Nullable ProcessWatch meant(ProcessWatch opened) {
        boolean isMeant = false;
        try {
            isMeant = startTime == 0 || opened.startTime() == startTime;
        } catch (UnsupportedOperationException hidden) {
            // Without the start time it may be a later process with the same number.
            isMeant = false;
        } finally {
            if (!isMeant) {
                opened.close();
            }
        }
        return isMeant ? opened : null;
    }

    /** Whether that is the present watch, which is over then, and another one can begin. Its pidfd is left where a loop ends. */
    boolean forget(ProcessWatch ended) {
        boolean isPresent = ended == watch;
        if (isPresent) {
            close();
        }
        return isPresent;
    }

    /** The present watch, which is the caller's from now on; null if there is none. */
    @Nullable
    ProcessWatch handOver() {
        ProcessWatch present = watch;
        watch = null;
        return present;
    }

    void close() {
        ProcessWatch present = handOver();
        if (present != null) {
            present.close();
        }
    }
}
