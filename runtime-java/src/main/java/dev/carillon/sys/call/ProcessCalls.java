package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.P_PGID;
import static dev.carillon.sys.layout.Constants.P_PID;
import static dev.carillon.sys.layout.Constants.P_PIDFD;
import static dev.carillon.sys.layout.Constants.WEXITED;
import static dev.carillon.sys.layout.Constants.WNOHANG;
import static dev.carillon.sys.layout.Constants.WNOWAIT;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.PollfdLayout;
import dev.carillon.sys.layout.ProcessLayout.Rlimit;
import dev.carillon.sys.layout.SiginfoLayout;
import dev.carillon.sys.layout.TimeLayout.Timespec;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Processes and threads: who we are, children, processor affinity, limits.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ProcessCalls {
    /** The start time of a process that is not known. */
    public static final long UNKNOWN_TIME = ProcessStat.UNKNOWN;

    private final LibC libc;

    ProcessCalls(LibC libc) {
        this.libc = libc;
    }

    public int pid() {
        return libc.getpid();
    }

    public int parentPid() {
        return libc.getppid();
    }

    /** The kernel's number of this thread; a virtual thread's is that of its carrier. */
    public int threadId() {
        return libc.gettid();
    }

    public int uid() {
        return libc.getuid();
    }

    /** A descriptor that means this very process and becomes readable when it ends; null if there is no such process. */
    public @Nullable Fd descriptorOf(int pid) {
        int fd = libc.pidfd_open(pid, 0);
        return fd == -Errno.ESRCH ? null : Fd.opened(libc, checked("pidfd_open", fd));
    }

    /** Takes the end of a child if it has ended; null if it has not. */
    public @Nullable ChildState reapNow(int pid) {
        return wait(P_PID, pid, WEXITED | WNOHANG);
    }

    /** Takes the end of the child of a pidfd if it has ended; null if it has not. */
    public @Nullable ChildState reapDescriptorNow(int pidfd) {
        return wait(P_PIDFD, pidfd, WEXITED | WNOHANG);
    }

    /** The end of a child if it has ended, not being taken; null if it has not. */
    public @Nullable ChildState lookNow(int pid) {
        return wait(P_PID, pid, WEXITED | WNOHANG | WNOWAIT);
    }

    /** Whether a process is a child of ours whose end was not taken, be it a zombie. */
    public boolean isChild(int pid) {
        int result = waitid(P_PID, pid, WEXITED | WNOHANG | WNOWAIT);
        return result != -Errno.ECHILD && checked("waitid", result) == 0;
    }

    /** Whether a child of ours whose end was not taken is in a group. */
    public boolean hasChildIn(int group) {
        int result = waitid(P_PGID, group, WEXITED | WNOHANG | WNOWAIT);
        return result != -Errno.ECHILD && checked("waitid", result) == 0;
    }

    /** Whether a child has ended, its end not being taken; also if it is no child of ours, or not any more. */
    public boolean isOver(int pid) {
        return isOver(P_PID, pid);
    }

    /** As {@link #isOver}, of the child of a pidfd. */
    public boolean isDescriptorOver(int pidfd) {
        return isOver(P_PIDFD, pidfd);
    }

    /** Whether the process of a pidfd has ended, be it a child or not; a zombie has. */
    public boolean hasEnded(int pidfd) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putInt(PollfdLayout.FD, descriptor(pidfd));
        scratch.bytes.putShort(PollfdLayout.EVENTS, (short) POLLIN);
        Timespec.put(scratch.bytes, PollfdLayout.SIZE, 0);
        int count;
        do {
            count = libc.ppoll(scratch.address, 1, scratch.address + PollfdLayout.SIZE, 0);
        } while (count == -Errno.EINTR);
        return checked("ppoll", count) > 0;
    }

    /**
     * When a process started, in clock ticks since the boot (field 22 of /proc/PID/stat), which tells it from a later one
     * with its pid; {@link #UNKNOWN_TIME} if there is no such process, or /proc does not show it.
     *
     * @throws dev.carillon.SyscallException if no descriptor or memory is left
     */
    public long startTime(int pid) {
        return ProcessStat.startTime(libc, pid);
    }

    private boolean isOver(int idType, int id) {
        int result = waitid(idType, id, WEXITED | WNOHANG | WNOWAIT);
        return result == -Errno.ECHILD
                || (checked("waitid", result) == 0
                        && Scratch.ofThisThread(libc).bytes.getInt(SiginfoLayout.SI_PID) != 0);
    }

    /** Takes the end of a child that has ended, not looking at it; nothing if there is no such child. */
    public void forget(int pid) {
        int result = waitid(P_PID, pid, WEXITED | WNOHANG);
        if (result != -Errno.ECHILD) {
            checked("waitid", result);
        }
    }

    /** Waits for the end of a child and takes it. */
    public ChildState reap(int pid) {
        LoopThreads.ensureMayBlock("waitid");
        ChildState state = wait(P_PID, pid, WEXITED);
        if (state == null) {
            throw new IllegalStateException("pid=" + pid + ": waitid returned without a child");
        }
        return state;
    }

    private @Nullable ChildState wait(int idType, int id, int options) {
        checked("waitid", waitid(idType, id, options));
        Scratch scratch = Scratch.ofThisThread(libc);
        int pid = scratch.bytes.getInt(SiginfoLayout.SI_PID);
        return pid == 0
                ? null
                : new ChildState(
                        pid,
                        scratch.bytes.getInt(SiginfoLayout.SI_CODE),
                        scratch.bytes.getInt(SiginfoLayout.SI_STATUS));
    }

    private int waitid(int idType, int id, int options) {
        Scratch scratch = Scratch.ofThisThread(libc);
        // With WNOHANG and no child that ended, the kernel's answer is a pid of 0.
        scratch.bytes.putInt(SiginfoLayout.SI_PID, 0);
        int result;
        do {
            result = libc.waitid(idType, id, scratch.address, options);
        } while (result == -Errno.EINTR);
        return result;
    }

    /** The processors that this thread may run on. */
    public BitSet affinity() {
        Scratch scratch = Scratch.ofThisThread(libc);
        int bytes = checked("sched_getaffinity", libc.sched_getaffinity(0, Scratch.SIZE, scratch.address));
        return BitSet.valueOf(
                scratch.bytes.duplicate().order(scratch.bytes.order()).clear().limit(bytes));
    }

    /** Binds this thread to some processors. */
    public void setAffinity(BitSet processors) {
        Scratch scratch = Scratch.ofThisThread(libc);
        byte[] set = processors.toByteArray();
        if (set.length > Scratch.SIZE) {
            throw new IllegalArgumentException("processors=" + processors + ": too high a number");
        }
        scratch.bytes.put(0, new byte[Scratch.SIZE]).put(0, set);
        checked("sched_setaffinity", libc.sched_setaffinity(0, Scratch.SIZE, scratch.address));
    }

    /** A limit of this process, as RLIMIT_NOFILE. */
    public Limit limit(int resource) {
        Scratch scratch = Scratch.ofThisThread(libc);
        checked("prlimit", libc.prlimit(0, resource, 0, scratch.address));
        return new Limit(scratch.bytes.getLong(Rlimit.RLIM_CUR), scratch.bytes.getLong(Rlimit.RLIM_MAX));
    }

    public void setLimit(int resource, Limit limit) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putLong(Rlimit.RLIM_CUR, limit.soft()).putLong(Rlimit.RLIM_MAX, limit.hard());
        checked("prlimit", libc.prlimit(0, resource, scratch.address, 0));
    }

    /** The plan of a child to be started. */
    public SpawnPlan plan() {
        return new SpawnPlan(libc);
    }
}
