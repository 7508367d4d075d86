package dev.carillon.process;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.ProcessCalls;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches a process that need not be a child: tells its end, and sends it signals.
 *
 * <pre>{@code
 * ProcessWatch watch = ProcessWatch.of(loop, pid);
 * watch.exited().thenRun(() -> System.out.println(watch.pid() + " has ended"));
 * watch.send(Signal.SIGTERM);
 * }</pre>
 *
 * <p>A watch means the process that had the number when the watch was made, whoever has that number later. The number itself may
 * have come from a file or a message, and be out of date: compare {@link #startTime} with that of the process that is meant.
 *
 * <p>How it ended, its exit code, only its parent can know; for a child of ours see {@link Child#exit}. A zombie, whose parent
 * has not asked for that yet, has ended. A process can be watched any number of times, also the own one.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> a watch costs two descriptors, until the end of the process was seen or the watch is closed. The caller
 * closes it.
 *
 * <p><b>See:</b> pidfd_open(2), pidfd_send_signal(2), {@code docs/children.md}.
 */
// r[impl process.watch]
public final class ProcessWatch implements AutoCloseable {
    private final WatchedProcess process;
    private final ProcessEnd end;

    private ProcessWatch(WatchedProcess process, ProcessEnd end) {
        this.process = process;
        this.end = end;
    }

    /** Watches on the {@linkplain EventLoop#shared() shared loop}, else as {@link #of(EventLoop, long)}. */
    public static ProcessWatch of(long pid) {
        return of(EventLoop.shared(), pid);
    }

    /**
     * Watches a process. A watch keeps no loop from being drained.
     *
     * @param loop sees the end; if it ends before the process, {@link #exited} fails
     * @param pid its number, as this process sees it
     * @throws ProcessWatchException if there is no such process, there are no pidfds here, no descriptor is left, or it is not
     *     permitted; {@link ProcessWatchException#reason} tells which
     * @throws IllegalArgumentException if the number is not positive
     * @throws java.util.concurrent.RejectedExecutionException if the loop is stopping or has ended
     * @throws dev.carillon.SyscallException if the kernel has no memory for it
     */
    public static ProcessWatch of(EventLoop loop, long pid) {
        if (pid < 1 || pid > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "pid=" + pid + ": a process has a number from 1 to " + Integer.MAX_VALUE);
        }
        Sys sys = Sys.get();
        ProcessEnd end = new ProcessEnd(loop);
        OpenProcess opened = OpenProcess.of(sys, (int) pid);
        boolean begun = false;
        try {
            WatchedProcess process = new WatchedProcess(sys, opened, loop, end);
            ProcessWatch watch = new ProcessWatch(process, end);
            process.begin();
            begun = true;
            return watch;
        } finally {
            if (!begun) {
                opened.pidfd().close();
            }
        }
    }

    /** Its number; after its end it may be another's. */
    public int pid() {
        return process.pid();
    }

    /**
     * When it started, in clock ticks since the boot: field 22 of /proc/PID/stat. Pid and start time together name one process
     * of a machine until its next boot, for all processes with the same PID and time namespaces. Also known after the end.
     *
     * @throws UnsupportedOperationException if /proc did not show the process when the watch was made, as with the mount option
     *     hidepid
     */
    // r[impl process.watch-recycled]
    public long startTime() {
        long time = process.startTime();
        if (time == ProcessCalls.UNKNOWN_TIME) {
            throw new UnsupportedOperationException("the start time of process " + pid() + " is not known: /proc/"
                    + pid() + "/stat could not be read; is /proc mounted, and without hidepid?");
        }
        return time;
    }

    /**
     * Whether it has not ended. The kernel is asked, so the answer may be there a moment before {@link #exited}, and also when
     * the loop has ended.
     *
     * @throws dev.carillon.ClosedException if the watch was closed before the end of the process was seen
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Its end, now or later, without an exit code.
     *
     * <p>Fails with a {@link dev.carillon.ClosedException} if the watch is closed or the loop ends before the process; all later
     * calls then give the same.
     *
     * <p><b>Threading:</b> completed on the loop thread, where waiting for it is refused; failed by a close on the thread that
     * closes. While the VM exits and the loop sits in a callback, it fails on the thread of the exit. Cancelling it ends neither
     * the watch nor other futures of it.
     */
    public CompletableFuture<@Nullable Void> exited() {
        return end.stage(noStatus -> null);
    }

    /**
     * Sends a signal to this very process; another one that has its pid by now is not hit.
     *
     * @return false if it has ended
     * @throws dev.carillon.SyscallException with EPERM if it belongs to another user
     * @throws dev.carillon.ClosedException if the watch was closed before the end of the process was seen
     */
    public boolean send(Signal signal) {
        return process.send(signal.number());
    }

    /**
     * Ends the watch; the process goes on. Its futures that wait fail. A second call does nothing, nor does one after the end of
     * the process was seen: what is known then stays known.
     */
    @Override
    public void close() {
        process.close();
    }

    @Override
    public String toString() {
        return "ProcessWatch[" + process + "]";
    }
}
