package dev.carillon.sys.layout;

import static dev.carillon.sys.layout.Architecture.onX86OrArm;

/**
 * Syscall numbers; the first of a pair is that of x86-64, the second that of aarch64 (the kernel's generic table).
 *
 * <p><b>See:</b> syscalls(2).
 */
// r[impl sys.layout]
public final class SyscallNumbers {
    public static final int READ = onX86OrArm(0, 63);
    public static final int WRITE = onX86OrArm(1, 64);
    public static final int CLOSE = onX86OrArm(3, 57);
    public static final int OPENAT = onX86OrArm(257, 56);
    public static final int OPENAT2 = onX86OrArm(437, 437);
    public static final int READV = onX86OrArm(19, 65);
    public static final int WRITEV = onX86OrArm(20, 66);
    public static final int PREAD64 = onX86OrArm(17, 67);
    public static final int PWRITE64 = onX86OrArm(18, 68);
    public static final int PREADV2 = onX86OrArm(327, 286);
    public static final int PWRITEV2 = onX86OrArm(328, 287);
    public static final int UNLINKAT = onX86OrArm(263, 35);
    public static final int MKDIRAT = onX86OrArm(258, 34);
    public static final int FCHMODAT = onX86OrArm(268, 53);
    public static final int FLOCK = onX86OrArm(73, 32);
    public static final int PIPE2 = onX86OrArm(293, 59);
    public static final int DUP3 = onX86OrArm(292, 24);
    public static final int FCNTL = onX86OrArm(72, 25);
    public static final int STATX = onX86OrArm(332, 291);
    public static final int FTRUNCATE = onX86OrArm(77, 46);
    public static final int FALLOCATE = onX86OrArm(285, 47);
    public static final int MEMFD_CREATE = onX86OrArm(319, 279);
    public static final int EPOLL_CREATE1 = onX86OrArm(291, 20);
    public static final int EPOLL_CTL = onX86OrArm(233, 21);
    public static final int EPOLL_PWAIT = onX86OrArm(281, 22);
    public static final int EPOLL_PWAIT2 = onX86OrArm(441, 441);
    public static final int EVENTFD2 = onX86OrArm(290, 19);
    public static final int TIMERFD_CREATE = onX86OrArm(283, 85);
    public static final int TIMERFD_SETTIME = onX86OrArm(286, 86);
    public static final int TIMERFD_GETTIME = onX86OrArm(287, 87);
    public static final int CLOCK_GETTIME = onX86OrArm(228, 113);
    public static final int PPOLL = onX86OrArm(271, 73);
    public static final int INOTIFY_INIT1 = onX86OrArm(294, 26);
    public static final int INOTIFY_ADD_WATCH = onX86OrArm(254, 27);
    public static final int INOTIFY_RM_WATCH = onX86OrArm(255, 28);
    public static final int IOCTL = onX86OrArm(16, 29);
    public static final int SOCKET = onX86OrArm(41, 198);
    public static final int SOCKETPAIR = onX86OrArm(53, 199);
    public static final int BIND = onX86OrArm(49, 200);
    public static final int LISTEN = onX86OrArm(50, 201);
    public static final int ACCEPT4 = onX86OrArm(288, 242);
    public static final int CONNECT = onX86OrArm(42, 203);
    public static final int GETSOCKNAME = onX86OrArm(51, 204);
    public static final int GETPEERNAME = onX86OrArm(52, 205);
    public static final int GETSOCKOPT = onX86OrArm(55, 209);
    public static final int SETSOCKOPT = onX86OrArm(54, 208);
    public static final int SHUTDOWN = onX86OrArm(48, 210);
    public static final int SENDTO = onX86OrArm(44, 206);
    public static final int RECVFROM = onX86OrArm(45, 207);
    public static final int SENDMSG = onX86OrArm(46, 211);
    public static final int RECVMSG = onX86OrArm(47, 212);
    public static final int GETPID = onX86OrArm(39, 172);
    public static final int GETTID = onX86OrArm(186, 178);
    public static final int GETPPID = onX86OrArm(110, 173);
    public static final int GETUID = onX86OrArm(102, 174);
    public static final int KILL = onX86OrArm(62, 129);
    public static final int TGKILL = onX86OrArm(234, 131);
    public static final int RT_SIGQUEUEINFO = onX86OrArm(129, 138);
    public static final int RT_TGSIGQUEUEINFO = onX86OrArm(297, 240);
    public static final int RT_SIGPROCMASK = onX86OrArm(14, 135);
    public static final int PIDFD_OPEN = onX86OrArm(434, 434);
    public static final int PIDFD_SEND_SIGNAL = onX86OrArm(424, 424);
    public static final int WAITID = onX86OrArm(247, 95);
    public static final int MMAP = onX86OrArm(9, 222);
    public static final int MUNMAP = onX86OrArm(11, 215);
    public static final int MPROTECT = onX86OrArm(10, 226);
    public static final int MADVISE = onX86OrArm(28, 233);
    public static final int FUTEX = onX86OrArm(202, 98);
    public static final int SCHED_SETAFFINITY = onX86OrArm(203, 122);
    public static final int SCHED_GETAFFINITY = onX86OrArm(204, 123);
    public static final int PRLIMIT64 = onX86OrArm(302, 261);
    public static final int IO_URING_SETUP = onX86OrArm(425, 425);
    public static final int IO_URING_ENTER = onX86OrArm(426, 426);
    public static final int IO_URING_REGISTER = onX86OrArm(427, 427);

    private SyscallNumbers() {}
}
