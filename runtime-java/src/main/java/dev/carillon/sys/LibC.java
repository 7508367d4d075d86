package dev.carillon.sys;

import static dev.carillon.sys.layout.SyscallNumbers.FUTEX;
import static dev.carillon.sys.layout.SyscallNumbers.GETPID;
import static dev.carillon.sys.layout.SyscallNumbers.GETPPID;
import static dev.carillon.sys.layout.SyscallNumbers.GETTID;
import static dev.carillon.sys.layout.SyscallNumbers.GETUID;
import static dev.carillon.sys.layout.SyscallNumbers.IO_URING_ENTER;
import static dev.carillon.sys.layout.SyscallNumbers.IO_URING_REGISTER;
import static dev.carillon.sys.layout.SyscallNumbers.IO_URING_SETUP;
import static dev.carillon.sys.layout.SyscallNumbers.KILL;
import static dev.carillon.sys.layout.SyscallNumbers.MADVISE;
import static dev.carillon.sys.layout.SyscallNumbers.MMAP;
import static dev.carillon.sys.layout.SyscallNumbers.MPROTECT;
import static dev.carillon.sys.layout.SyscallNumbers.MUNMAP;
import static dev.carillon.sys.layout.SyscallNumbers.PIDFD_OPEN;
import static dev.carillon.sys.layout.SyscallNumbers.PIDFD_SEND_SIGNAL;
import static dev.carillon.sys.layout.SyscallNumbers.PRLIMIT64;
import static dev.carillon.sys.layout.SyscallNumbers.RT_SIGPROCMASK;
import static dev.carillon.sys.layout.SyscallNumbers.RT_SIGQUEUEINFO;
import static dev.carillon.sys.layout.SyscallNumbers.RT_TGSIGQUEUEINFO;
import static dev.carillon.sys.layout.SyscallNumbers.SCHED_GETAFFINITY;
import static dev.carillon.sys.layout.SyscallNumbers.SCHED_SETAFFINITY;
import static dev.carillon.sys.layout.SyscallNumbers.TGKILL;
import static dev.carillon.sys.layout.SyscallNumbers.WAITID;

import dev.carillon.Availability;
import java.nio.ByteBuffer;

/**
 * The one door to C: system calls and a few functions of glibc, spelt as C spells them.
 *
 * <p>Every call returns its result, or -errno when it failed, which is the kernel's own convention: errno is looked at
 * only after a failure, nothing of it outlives the call, expected outcomes are values and no call allocates. Pointers
 * are addresses of native memory ({@link #addressOf}); nothing is checked here, the families in
 * {@code dev.carillon.sys.call} do that.
 *
 * <p><b>Threading:</b> any thread; a call blocks its thread (and pins a virtual thread) as long as the kernel does.
 *
 * <p><b>See:</b> syscalls(2), one manual page per call.
 */
@SuppressWarnings("MemberName")
public abstract class LibC extends DescriptorSyscalls {
    LibC() {}

    /**
     * The one that this process uses, chosen at the first call.
     *
     * @throws UnsupportedOperationException if system calls cannot be made here
     */
    public static LibC get() {
        availability().ensureAvailability();
        LibC libc = FirstCall.Kept.LIBC;
        if (libc == null) {
            throw new IllegalStateException(FirstCall.Kept.CHOICE.reason);
        }
        return libc;
    }

    /** Whether system calls can be made here; asked again where there was only no room to find out. */
    public static Availability availability() {
        Availability shortage = FirstCall.shortage();
        return shortage != null ? shortage : FirstCall.Kept.CHOICE.availability;
    }

    /** Which library makes the calls, and why that one. */
    public static String choice() {
        Availability shortage = FirstCall.shortage();
        return shortage != null ? "none yet: " + shortage : FirstCall.Kept.CHOICE.reason;
    }

    /** The option of the VM that lets this program reach C, be it on the class path or on the module path. */
    public static String enablingOption() {
        return LibCFailure.enablingOption();
    }

    /** The address of a direct buffer's index 0, valid as long as the buffer is reachable. */
    public abstract long addressOf(ByteBuffer direct);

    /** A buffer in native byte order over memory whose owner keeps it for as long as the buffer is used. */
    public abstract ByteBuffer view(long address, int length);

    /** Copies bytes from one address to another one, where they do not overlap. */
    public abstract void memcpy(long to, long from, long length);

    public int getpid() {
        return (int) syscall(GETPID);
    }

    public int gettid() {
        return (int) syscall(GETTID);
    }

    public int getppid() {
        return (int) syscall(GETPPID);
    }

    public int getuid() {
        return (int) syscall(GETUID);
    }

    public int kill(int pid, int signal) {
        return (int) syscall(KILL, pid, signal);
    }

    public int tgkill(int pid, int tid, int signal) {
        return (int) syscall(TGKILL, pid, tid, signal);
    }

    public int rt_sigqueueinfo(int pid, int signal, long siginfo) {
        return (int) syscall(RT_SIGQUEUEINFO, pid, signal, siginfo);
    }

    public int rt_tgsigqueueinfo(int pid, int tid, int signal, long siginfo) {
        return (int) syscall(RT_TGSIGQUEUEINFO, pid, tid, signal, siginfo);
    }

    public int rt_sigprocmask(int how, long newSet, long oldSet) {
        return (int) syscall(RT_SIGPROCMASK, how, newSet, oldSet, KERNEL_SIGSET_SIZE);
    }

    public int pidfd_open(int pid, int flags) {
        return (int) syscall(PIDFD_OPEN, pid, flags);
    }

    public int pidfd_send_signal(int pidfd, int signal, long siginfo, int flags) {
        return (int) syscall(PIDFD_SEND_SIGNAL, pidfd, signal, siginfo, flags);
    }

    public int waitid(int idType, int id, long siginfo, int options) {
        return (int) syscall(WAITID, idType, id, siginfo, options, 0);
    }

    public long mmap(long address, long length, int protection, int flags, int fd, long offset) {
        return syscall(MMAP, address, length, protection, flags, fd, offset);
    }

    public int munmap(long address, long length) {
        return (int) syscall(MUNMAP, address, length);
    }

    public int mprotect(long address, long length, int protection) {
        return (int) syscall(MPROTECT, address, length, protection);
    }

    public int madvise(long address, long length, int advice) {
        return (int) syscall(MADVISE, address, length, advice);
    }

    /** For operations that look at no more arguments; through JNA each one costs. */
    public int futex(long word, int op, int value) {
        return (int) syscall(FUTEX, word, op, value);
    }

    public int futex(long word, int op, int value, long timespecOrCount, long word2, int value3) {
        return (int) syscall(FUTEX, word, op, value, timespecOrCount, word2, value3);
    }

    public int sched_setaffinity(int tid, long size, long mask) {
        return (int) syscall(SCHED_SETAFFINITY, tid, size, mask);
    }

    public int sched_getaffinity(int tid, long size, long mask) {
        return (int) syscall(SCHED_GETAFFINITY, tid, size, mask);
    }

    public int prlimit(int pid, int resource, long newLimit, long oldLimit) {
        return (int) syscall(PRLIMIT64, pid, resource, newLimit, oldLimit);
    }

    public int io_uring_setup(int entries, long params) {
        return (int) syscall(IO_URING_SETUP, entries, params);
    }

    public int io_uring_enter(int fd, int submit, int wait, int flags, long argument, long size) {
        return (int) syscall(IO_URING_ENTER, fd, submit, wait, flags, argument, size);
    }

    public int io_uring_register(int fd, int opcode, long argument, int count) {
        return (int) syscall(IO_URING_REGISTER, fd, opcode, argument, count);
    }

    /** glibc's, since the kernel's wants a restorer that only glibc has; the structure is glibc's too. */
    public abstract int sigaction(int signal, long newAction, long oldAction);

    /** Like all of this family it answers with -errno here, also where C answers with a positive number. */
    public abstract int posix_spawnp(long pidOut, long file, long actions, long attributes, long argv, long envp);

    public abstract int posix_spawnattr_init(long attributes);

    public abstract int posix_spawnattr_destroy(long attributes);

    public abstract int posix_spawnattr_setflags(long attributes, int flags);

    public abstract int posix_spawnattr_setpgroup(long attributes, int group);

    public abstract int posix_spawnattr_setsigmask(long attributes, long sigset);

    public abstract int posix_spawnattr_setsigdefault(long attributes, long sigset);

    public abstract int posix_spawn_file_actions_init(long actions);

    public abstract int posix_spawn_file_actions_destroy(long actions);

    public abstract int posix_spawn_file_actions_adddup2(long actions, int fd, int newFd);

    public abstract int posix_spawn_file_actions_addopen(long actions, int fd, long path, int flags, int mode);

    public abstract int posix_spawn_file_actions_addclose(long actions, int fd);

    public abstract int posix_spawn_file_actions_addchdir_np(long actions, long path);

    /** -ENOSYS where glibc is older than 2.34. */
    public abstract int posix_spawn_file_actions_addclosefrom_np(long actions, int from);
}
