package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.layout.Constants.SIGBUS;
import static dev.carillon.sys.layout.Constants.SIGFPE;
import static dev.carillon.sys.layout.Constants.SIGILL;
import static dev.carillon.sys.layout.Constants.SIGSEGV;
import static dev.carillon.sys.layout.Constants.SIGTRAP;
import static dev.carillon.sys.layout.Constants.SIG_BLOCK;
import static dev.carillon.sys.layout.Constants.SIG_SETMASK;
import static dev.carillon.sys.layout.Constants.SIG_UNBLOCK;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.layout.SigactionLayout;
import dev.carillon.sys.layout.SiginfoLayout;
import dev.carillon.sys.layout.SigsetLayout;
import java.nio.ByteBuffer;

/**
 * Signals: masks, dispositions, sending. Sets are longs with bit n - 1 for signal n.
 *
 * <p>Sending returns 0, -ESRCH where there is no such process, or -EAGAIN where its queue is full.
 *
 * <p><b>Threading:</b> masks belong to the calling thread, dispositions to the process.
 *
 * <p><b>See:</b> signal(7).
 */
public final class SignalCalls {
    /** glibc keeps 32 and 33 for itself: a thread that blocked them could be neither cancelled nor change its user. */
    private static final long OF_GLIBC = SigsetLayout.bit(32) | SigsetLayout.bit(33);

    /**
     * What a thread gets for its own faults, which the VM works with: null checks, safepoints, the end of the stack. The kernel
     * kills a process whose thread blocks the one that it needs, without a word and without an hs_err file.
     */
    private static final long OF_FAULTS = SigsetLayout.bit(SIGSEGV)
            | SigsetLayout.bit(SIGBUS)
            | SigsetLayout.bit(SIGFPE)
            | SigsetLayout.bit(SIGILL)
            | SigsetLayout.bit(SIGTRAP);

    /** The kernel's PIDFD_SIGNAL_PROCESS_GROUP, newer than most headers. */
    private static final int OF_GROUP = 4;

    private static final int SECOND = SigactionLayout.SIZE;

    private final LibC libc;

    SignalCalls(LibC libc) {
        this.libc = libc;
    }

    // r[impl sys.mask]
    /** Blocks more signals in this thread, but none of faults; returns what was blocked before. */
    public long block(long set) {
        return changeMask(SIG_BLOCK, set & ~(OF_GLIBC | OF_FAULTS));
    }

    /** Lets signals through to this thread, what is pending before this returns; returns what was blocked before. */
    public long unblock(long set) {
        return changeMask(SIG_UNBLOCK, set);
    }

    /** Blocks exactly these signals in this thread; returns what was blocked before. */
    public long setMask(long set) {
        return changeMask(SIG_SETMASK, set & ~OF_GLIBC);
    }

    /** What this thread blocks. */
    public long mask() {
        return changeMask(SIG_BLOCK, 0);
    }

    private long changeMask(int how, long set) {
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putLong(0, set);
        checked(
                "rt_sigprocmask",
                libc.rt_sigprocmask(how, scratch.address, scratch.address + SigsetLayout.KERNEL_SIZE));
        return scratch.bytes.getLong(SigsetLayout.KERNEL_SIZE);
    }

    /** What a signal does now. */
    public SignalAction action(int signal) {
        Scratch scratch = Scratch.ofThisThread(libc);
        sigaction(signal, 0, scratch.address + SECOND);
        return read(scratch.bytes);
    }

    /** Sets what a signal does; returns what it did before. */
    public SignalAction setAction(int signal, SignalAction action) {
        ignoredAtStart(); // afterwards it is too late to look
        Scratch scratch = Scratch.ofThisThread(libc);
        scratch.bytes.putLong(SigactionLayout.SA_HANDLER, action.handler());
        SigsetLayout.putGlibc(scratch.bytes, SigactionLayout.SA_MASK, action.mask());
        scratch.bytes.putInt(SigactionLayout.SA_FLAGS, action.flags());
        scratch.bytes.putLong(SigactionLayout.SA_RESTORER, 0);
        sigaction(signal, scratch.address, scratch.address + SECOND);
        return read(scratch.bytes);
    }

    /** The signals that were ignored when this process began; to be asked before anybody here changes a disposition. */
    public long ignoredAtStart() {
        return StartDispositions.ignored(this);
    }

    private void sigaction(int signal, long newAction, long oldAction) {
        int result = libc.sigaction(signal, newAction, oldAction);
        if (result < 0) {
            throw Failure.of("sigaction", result, "signal=" + signal);
        }
    }

    private static SignalAction read(ByteBuffer bytes) {
        return new SignalAction(
                bytes.getLong(SECOND + SigactionLayout.SA_HANDLER),
                bytes.getInt(SECOND + SigactionLayout.SA_FLAGS),
                bytes.getLong(SECOND + SigactionLayout.SA_MASK));
    }

    /** Sends a signal as kill(2) does; pids from 1 on, since 0 and below are groups. */
    public int send(int pid, int signal) {
        return sent("kill", libc.kill(process(pid), signal));
    }

    /** Sends a signal to one thread of a process. */
    public int sendToThread(int pid, int tid, int signal) {
        return sent("tgkill", libc.tgkill(process(pid), process(tid), signal));
    }

    /** Sends a signal with a value as sigqueue(3) does. */
    public int queue(int pid, int signal, long value) {
        return sent("rt_sigqueueinfo", libc.rt_sigqueueinfo(process(pid), signal, queued(signal, value)));
    }

    /** Sends a signal with a value to one thread of a process. */
    public int queueToThread(int pid, int tid, int signal, long value) {
        return forwardToThread(pid, tid, signal, queued(signal, value));
    }

    /** Sends a siginfo_t as it is to one thread of a process; to another thread than ours its code is negative. */
    public int forwardToThread(int pid, int tid, int signal, long siginfo) {
        int result = libc.rt_tgsigqueueinfo(process(pid), process(tid), signal, siginfo);
        return sent("rt_tgsigqueueinfo", result);
    }

    /** Sends to the very process that a pidfd means, also if another process has its pid by now. */
    public int sendToDescriptor(int pidfd, int signal) {
        return sent("pidfd_send_signal", libc.pidfd_send_signal(descriptor(pidfd), signal, 0, 0));
    }

    /** Sends with a value to the very process that a pidfd means. */
    public int queueToDescriptor(int pidfd, int signal, long value) {
        int result = libc.pidfd_send_signal(descriptor(pidfd), signal, queued(signal, value), 0);
        return sent("pidfd_send_signal", result);
    }

    /** Sends to a group of processes by its number, from 2 on, since 1 would mean all processes; -ESRCH if nobody is in it. */
    public int sendToGroup(int group, int signal) {
        if (group < 2) {
            throw new IllegalArgumentException("group=" + group + ": 0 would mean our own group, and 1 all processes");
        }
        return sent("kill", libc.kill(-group, signal));
    }

    /**
     * Sends to the very group of which the process of a pidfd is or was the leader, also if another one has its number by now;
     * -ESRCH if nobody is in it, -EINVAL from a kernel that is older than 6.9.
     */
    public int sendToGroupOfDescriptor(int pidfd, int signal) {
        int result = libc.pidfd_send_signal(descriptor(pidfd), signal, 0, OF_GROUP);
        return result == -Errno.EINVAL ? result : sent("pidfd_send_signal", result);
    }

    private long queued(int signal, long value) {
        Scratch scratch = Scratch.ofThisThread(libc);
        SiginfoLayout.putQueued(scratch.bytes, 0, signal, libc.getpid(), libc.getuid(), value);
        return scratch.address;
    }

    // r[impl sys.numbers]
    private static int process(int pid) {
        if (pid < 1) {
            throw new IllegalArgumentException("pid=" + pid + ": 0 and below would mean a group of processes");
        }
        return pid;
    }

    private static int sent(String call, int result) {
        return result == -Errno.ESRCH || result == -Errno.EAGAIN ? result : checked(call, result);
    }
}
