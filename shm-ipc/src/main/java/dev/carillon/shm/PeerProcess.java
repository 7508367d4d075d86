package dev.carillon.shm;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.ProcessWatch;
import dev.carillon.process.ProcessWatchException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The process on the other side of a link, which is watched as soon as its number is known. Where it cannot be watched the
 * bell alone tells of its end.
 *
 * <p>The number is the one that the peer has in its own pid namespace. For a host it comes from the guest, who can hurt its
 * own link by a wrong one, and nothing else. Of a guest that came by the socket the kernel has told the number, which counts
 * then.
 *
 * <p><b>Threading:</b> under the lock of its owner, but {@link #pid} and {@link #isKnownAs}.
 */
final class PeerProcess {
    private static final int OWN_PID = (int) ProcessHandle.current().pid();

    private final IntSupplier pid;
    private final long startTime;

    /** As the kernel has told; negative if it was not asked. */
    private volatile int kernels = -1;

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

    /** Its number; 0 as long as it is not there, or cannot be seen. */
    int pid() {
        int told = kernels;
        int own = pid.getAsInt();
        return told < 0 || own == 0 ? own : told;
    }

    /** Whether there is nothing to do at present: it is watched, cannot be, or is not known yet. */
    boolean isSettled() {
        return watch != null || unwatchable || pid() == 0;
    }

    /** Has a loop watch it; the watch if that has just begun, else null. */
    @Nullable
    ProcessWatch begin(EventLoop loop) {
        int number = watch != null || unwatchable ? 0 : pid();
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

    void close() {
        ProcessWatch present = watch;
        watch = null;
        if (present != null) {
            present.close();
        }
    }
}
