package dev.carillon.sys.layout;

import static dev.carillon.sys.layout.Architecture.onX86OrArm;

/** What C calls by these names; the same on x86-64 and aarch64 but for three flags of open. */
// r[impl sys.layout]
public final class Constants {
    // files: open(2), openat2(2), fcntl(2), statx(2)
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 64;
    public static final int O_EXCL = 128;
    public static final int O_TRUNC = 0x200;
    public static final int O_APPEND = 0x400;
    public static final int O_NONBLOCK = 0x800;
    public static final int O_DSYNC = 0x1000;
    public static final int O_CLOEXEC = 0x80000;
    public static final int O_PATH = 0x200000;
    public static final int O_DIRECT = onX86OrArm(0x4000, 0x10000);
    public static final int O_DIRECTORY = onX86OrArm(0x10000, 0x4000);
    public static final int O_NOFOLLOW = onX86OrArm(0x20000, 0x8000);
    public static final int AT_FDCWD = -100;
    public static final int AT_EMPTY_PATH = 0x1000;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    public static final int LOCK_EX = 2;
    public static final int LOCK_NB = 4;
    public static final int RESOLVE_NO_XDEV = 1;
    public static final int RESOLVE_NO_MAGICLINKS = 2;
    public static final int RESOLVE_NO_SYMLINKS = 4;
    public static final int RESOLVE_BENEATH = 8;
    public static final int RESOLVE_IN_ROOT = 16;
    public static final int STATX_TYPE = 1;
    public static final int STATX_MODE = 2;
    public static final int STATX_SIZE = 0x200;
    public static final int STATX_BASIC_STATS = 0x7ff;
    public static final int S_IFMT = 0xf000;
    public static final int S_IFREG = 0x8000;
    public static final int S_IFDIR = 0x4000;
    public static final int S_IFSOCK = 0xc000;
    public static final int S_IFIFO = 0x1000;
    public static final int S_IFCHR = 0x2000;
    public static final int F_GETFD = 1;
    public static final int F_SETFD = 2;
    public static final int F_GETFL = 3;
    public static final int F_SETFL = 4;
    public static final int F_DUPFD_CLOEXEC = 0x406;
    public static final int F_SETPIPE_SZ = 0x407;
    public static final int F_ADD_SEALS = 0x409;
    public static final int F_GET_SEALS = 0x40a;
    public static final int FD_CLOEXEC = 1;
    public static final int F_SEAL_SEAL = 1;
    public static final int F_SEAL_SHRINK = 2;
    public static final int F_SEAL_GROW = 4;
    public static final int F_SEAL_WRITE = 8;
    public static final int F_SEAL_FUTURE_WRITE = 16;
    public static final int MFD_CLOEXEC = 1;
    public static final int MFD_ALLOW_SEALING = 2;
    public static final int FALLOC_FL_KEEP_SIZE = 1;
    public static final int FALLOC_FL_PUNCH_HOLE = 2;

    // memory: mmap(2), madvise(2)
    public static final int PROT_NONE = 0;
    public static final int PROT_READ = 1;
    public static final int PROT_WRITE = 2;
    public static final int PROT_EXEC = 4;
    public static final int MAP_SHARED = 1;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_FIXED = 16;
    public static final int MAP_ANONYMOUS = 32;
    public static final int MAP_NORESERVE = 0x4000;
    public static final int MAP_POPULATE = 0x8000;
    public static final int MADV_DONTFORK = 10;
    public static final int MADV_WIPEONFORK = 18;
    public static final int MADV_POPULATE_WRITE = 23;

    // readiness: epoll_ctl(2), poll(2), eventfd(2), timerfd_create(2)
    public static final int EPOLL_CTL_ADD = 1;
    public static final int EPOLL_CTL_DEL = 2;
    public static final int EPOLL_CTL_MOD = 3;
    public static final int EPOLLIN = 1;
    public static final int EPOLLPRI = 2;
    public static final int EPOLLOUT = 4;
    public static final int EPOLLERR = 8;
    public static final int EPOLLHUP = 16;
    public static final int EPOLLRDHUP = 0x2000;
    public static final int EPOLLEXCLUSIVE = 0x10000000;
    public static final int EPOLLONESHOT = 0x40000000;
    public static final int EPOLLET = 0x80000000;
    public static final int EPOLL_CLOEXEC = 0x80000;
    public static final int POLLIN = 1;
    public static final int POLLPRI = 2;
    public static final int POLLOUT = 4;
    public static final int POLLERR = 8;
    public static final int POLLHUP = 16;
    public static final int POLLNVAL = 32;
    public static final int POLLRDHUP = 0x2000;
    public static final int EFD_CLOEXEC = 0x80000;
    public static final int EFD_NONBLOCK = 0x800;
    public static final int EFD_SEMAPHORE = 1;
    public static final int TFD_CLOEXEC = 0x80000;
    public static final int TFD_NONBLOCK = 0x800;
    public static final int TFD_TIMER_ABSTIME = 1;
    public static final int CLOCK_REALTIME = 0;
    public static final int CLOCK_MONOTONIC = 1;

    // sockets: socket(2), ip(7), tcp(7), unix(7)
    public static final int AF_UNSPEC = 0;
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int SOCK_STREAM = 1;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_SEQPACKET = 5;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_TYPE = 3;
    public static final int SO_ERROR = 4;
    public static final int SO_BROADCAST = 6;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_KEEPALIVE = 9;
    public static final int SO_LINGER = 13;
    public static final int SO_REUSEPORT = 15;
    public static final int SO_PASSCRED = 16;
    public static final int SO_PEERCRED = 17;
    public static final int SO_ACCEPTCONN = 30;
    public static final int SO_PROTOCOL = 38;
    public static final int SO_DOMAIN = 39;
    public static final int SO_INCOMING_CPU = 49;
    public static final int IPPROTO_TCP = 6;
    public static final int IPPROTO_UDP = 17;
    public static final int IPPROTO_IPV6 = 41;
    public static final int TCP_NODELAY = 1;
    public static final int IPV6_V6ONLY = 26;
    public static final int SHUT_RD = 0;
    public static final int SHUT_WR = 1;
    public static final int SHUT_RDWR = 2;
    public static final int SCM_RIGHTS = 1;
    public static final int SCM_CREDENTIALS = 2;
    /** preadv2 and pwritev2: see readv(2). */
    public static final int RWF_NOWAIT = 8;

    public static final int MSG_PEEK = 2;
    public static final int MSG_CTRUNC = 8;
    public static final int MSG_TRUNC = 32;
    public static final int MSG_DONTWAIT = 64;
    public static final int MSG_NOSIGNAL = 0x4000;
    public static final int MSG_CMSG_CLOEXEC = 0x40000000;
    public static final int SOMAXCONN = 0x1000;

    // signals: signal(7), sigaction(2), rt_sigprocmask(2)
    public static final int SIGHUP = 1;
    public static final int SIGINT = 2;
    public static final int SIGQUIT = 3;
    public static final int SIGILL = 4;
    public static final int SIGTRAP = 5;
    public static final int SIGABRT = 6;
    public static final int SIGBUS = 7;
    public static final int SIGFPE = 8;
    public static final int SIGKILL = 9;
    public static final int SIGUSR1 = 10;
    public static final int SIGSEGV = 11;
    public static final int SIGUSR2 = 12;
    public static final int SIGPIPE = 13;
    public static final int SIGALRM = 14;
    public static final int SIGTERM = 15;
    public static final int SIGSTKFLT = 16;
    public static final int SIGCHLD = 17;
    public static final int SIGCONT = 18;
    public static final int SIGSTOP = 19;
    public static final int SIGTSTP = 20;
    public static final int SIGTTIN = 21;
    public static final int SIGTTOU = 22;
    public static final int SIGURG = 23;
    public static final int SIGXCPU = 24;
    public static final int SIGXFSZ = 25;
    public static final int SIGVTALRM = 26;
    public static final int SIGPROF = 27;
    public static final int SIGWINCH = 28;
    public static final int SIGIO = 29;
    public static final int SIGPWR = 30;
    public static final int SIGSYS = 31;
    public static final int SIG_BLOCK = 0;
    public static final int SIG_UNBLOCK = 1;
    public static final int SIG_SETMASK = 2;
    public static final int SA_NOCLDSTOP = 1;
    public static final int SA_NOCLDWAIT = 2;
    public static final int SA_SIGINFO = 4;
    public static final int SA_ONSTACK = 0x8000000;
    public static final int SA_RESTART = 0x10000000;
    public static final int SA_NODEFER = 0x40000000;
    public static final int SA_RESETHAND = 0x80000000;
    public static final int SI_USER = 0;
    public static final int SI_KERNEL = 128;
    public static final int SI_QUEUE = -1;
    public static final int SI_TIMER = -2;
    public static final int SI_MESGQ = -3;
    public static final int SI_ASYNCIO = -4;
    public static final int SI_SIGIO = -5;
    public static final int SI_TKILL = -6;
    public static final int CLD_EXITED = 1;
    public static final int CLD_KILLED = 2;
    public static final int CLD_DUMPED = 3;
    public static final int CLD_STOPPED = 5;
    public static final int CLD_CONTINUED = 6;

    // processes: waitid(2), posix_spawn(3), prlimit(2)
    public static final int P_ALL = 0;
    public static final int P_PID = 1;
    public static final int P_PGID = 2;
    public static final int P_PIDFD = 3;
    public static final int WNOHANG = 1;
    public static final int WSTOPPED = 2;
    public static final int WEXITED = 4;
    public static final int WCONTINUED = 8;
    public static final int WNOWAIT = 0x1000000;
    public static final int POSIX_SPAWN_SETSIGDEF = 4;
    public static final int POSIX_SPAWN_SETSIGMASK = 8;
    public static final int POSIX_SPAWN_SETSID = 128;
    public static final int RLIMIT_CORE = 4;
    public static final int RLIMIT_NOFILE = 7;
    public static final int RLIMIT_MEMLOCK = 8;
    public static final int RLIMIT_SIGPENDING = 11;

    // changes in folders: inotify(7)
    public static final int IN_CLOEXEC = 0x80000;
    public static final int IN_NONBLOCK = 0x800;
    public static final int FIONREAD = 0x541b;
    public static final int IN_CLOSE_WRITE = 8;
    public static final int IN_MOVED_FROM = 0x40;
    public static final int IN_MOVED_TO = 0x80;
    public static final int IN_CREATE = 0x100;
    public static final int IN_DELETE = 0x200;
    public static final int IN_MOVE_SELF = 0x800;
    public static final int IN_Q_OVERFLOW = 0x4000;
    public static final int IN_IGNORED = 0x8000;
    public static final int IN_ONLYDIR = 0x1000000;
    public static final int IN_ISDIR = 0x40000000;

    // futexes: futex(2)
    public static final int FUTEX_WAIT = 0;
    public static final int FUTEX_WAKE = 1;
    public static final int FUTEX_WAKE_OP = 5;
    public static final int FUTEX_PRIVATE_FLAG = 128;
    public static final int FUTEX_WAIT_BITSET = 9;
    public static final int FUTEX_WAKE_BITSET = 10;
    public static final int FUTEX_CLOCK_REALTIME = 0x100;
    public static final int FUTEX_BITSET_MATCH_ANY = -1;
    public static final int FUTEX_OP_ADD = 1;

    private Constants() {}
}
