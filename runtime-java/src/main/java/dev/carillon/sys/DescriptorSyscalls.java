package dev.carillon.sys;

import static dev.carillon.sys.layout.SyscallNumbers.ACCEPT4;
import static dev.carillon.sys.layout.SyscallNumbers.BIND;
import static dev.carillon.sys.layout.SyscallNumbers.CLOCK_GETTIME;
import static dev.carillon.sys.layout.SyscallNumbers.CLOSE;
import static dev.carillon.sys.layout.SyscallNumbers.CONNECT;
import static dev.carillon.sys.layout.SyscallNumbers.DUP3;
import static dev.carillon.sys.layout.SyscallNumbers.EPOLL_CREATE1;
import static dev.carillon.sys.layout.SyscallNumbers.EPOLL_CTL;
import static dev.carillon.sys.layout.SyscallNumbers.EPOLL_PWAIT;
import static dev.carillon.sys.layout.SyscallNumbers.EPOLL_PWAIT2;
import static dev.carillon.sys.layout.SyscallNumbers.EVENTFD2;
import static dev.carillon.sys.layout.SyscallNumbers.FALLOCATE;
import static dev.carillon.sys.layout.SyscallNumbers.FCHMODAT;
import static dev.carillon.sys.layout.SyscallNumbers.FCNTL;
import static dev.carillon.sys.layout.SyscallNumbers.FLOCK;
import static dev.carillon.sys.layout.SyscallNumbers.FTRUNCATE;
import static dev.carillon.sys.layout.SyscallNumbers.GETPEERNAME;
import static dev.carillon.sys.layout.SyscallNumbers.GETSOCKNAME;
import static dev.carillon.sys.layout.SyscallNumbers.GETSOCKOPT;
import static dev.carillon.sys.layout.SyscallNumbers.INOTIFY_ADD_WATCH;
import static dev.carillon.sys.layout.SyscallNumbers.INOTIFY_INIT1;
import static dev.carillon.sys.layout.SyscallNumbers.INOTIFY_RM_WATCH;
import static dev.carillon.sys.layout.SyscallNumbers.IOCTL;
import static dev.carillon.sys.layout.SyscallNumbers.LISTEN;
import static dev.carillon.sys.layout.SyscallNumbers.MEMFD_CREATE;
import static dev.carillon.sys.layout.SyscallNumbers.MKDIRAT;
import static dev.carillon.sys.layout.SyscallNumbers.OPENAT;
import static dev.carillon.sys.layout.SyscallNumbers.OPENAT2;
import static dev.carillon.sys.layout.SyscallNumbers.PIPE2;
import static dev.carillon.sys.layout.SyscallNumbers.PPOLL;
import static dev.carillon.sys.layout.SyscallNumbers.PREAD64;
import static dev.carillon.sys.layout.SyscallNumbers.PREADV2;
import static dev.carillon.sys.layout.SyscallNumbers.PWRITE64;
import static dev.carillon.sys.layout.SyscallNumbers.PWRITEV2;
import static dev.carillon.sys.layout.SyscallNumbers.READ;
import static dev.carillon.sys.layout.SyscallNumbers.READV;
import static dev.carillon.sys.layout.SyscallNumbers.RECVFROM;
import static dev.carillon.sys.layout.SyscallNumbers.RECVMSG;
import static dev.carillon.sys.layout.SyscallNumbers.SENDMSG;
import static dev.carillon.sys.layout.SyscallNumbers.SENDTO;
import static dev.carillon.sys.layout.SyscallNumbers.SETSOCKOPT;
import static dev.carillon.sys.layout.SyscallNumbers.SHUTDOWN;
import static dev.carillon.sys.layout.SyscallNumbers.SOCKET;
import static dev.carillon.sys.layout.SyscallNumbers.SOCKETPAIR;
import static dev.carillon.sys.layout.SyscallNumbers.STATX;
import static dev.carillon.sys.layout.SyscallNumbers.TIMERFD_CREATE;
import static dev.carillon.sys.layout.SyscallNumbers.TIMERFD_GETTIME;
import static dev.carillon.sys.layout.SyscallNumbers.TIMERFD_SETTIME;
import static dev.carillon.sys.layout.SyscallNumbers.UNLINKAT;
import static dev.carillon.sys.layout.SyscallNumbers.WRITE;
import static dev.carillon.sys.layout.SyscallNumbers.WRITEV;

/**
 * System calls on descriptors, spelt as C spells them; pointers are addresses.
 *
 * <p>The kernel's own calls and not glibc's wrappers: both libraries then make the very same call.
 */
@SuppressWarnings("MemberName")
abstract class DescriptorSyscalls extends SyscallDoor {
    /** What the kernel calls a signal set has 64 bits; glibc's has 1,024. */
    static final int KERNEL_SIGSET_SIZE = 8;

    public int close(int fd) {
        return (int) syscall(CLOSE, fd);
    }

    public long read(int fd, long buffer, long length) {
        return syscall(READ, fd, buffer, length);
    }

    public long write(int fd, long buffer, long length) {
        return syscall(WRITE, fd, buffer, length);
    }

    public long readv(int fd, long iovecs, int count) {
        return syscall(READV, fd, iovecs, count);
    }

    public long writev(int fd, long iovecs, int count) {
        return syscall(WRITEV, fd, iovecs, count);
    }

    /** The kernel takes the offset in two halves, of which the first is all of it here; -1: the descriptor's own. */
    public long preadv2(int fd, long iovecs, int count, long offset, int flags) {
        return syscall(PREADV2, fd, iovecs, count, offset, 0, flags);
    }

    public long pwritev2(int fd, long iovecs, int count, long offset, int flags) {
        return syscall(PWRITEV2, fd, iovecs, count, offset, 0, flags);
    }

    public long pread(int fd, long buffer, long length, long offset) {
        return syscall(PREAD64, fd, buffer, length, offset);
    }

    public long pwrite(int fd, long buffer, long length, long offset) {
        return syscall(PWRITE64, fd, buffer, length, offset);
    }

    public int openat(int directory, long path, int flags, int mode) {
        return (int) syscall(OPENAT, directory, path, flags, mode);
    }

    public int openat2(int directory, long path, long how, long howSize) {
        return (int) syscall(OPENAT2, directory, path, how, howSize);
    }

    public int unlinkat(int directory, long path, int flags) {
        return (int) syscall(UNLINKAT, directory, path, flags);
    }

    public int mkdirat(int directory, long path, int mode) {
        return (int) syscall(MKDIRAT, directory, path, mode);
    }

    public int fchmodat(int directory, long path, int mode) {
        return (int) syscall(FCHMODAT, directory, path, mode);
    }

    public int flock(int fd, int operation) {
        return (int) syscall(FLOCK, fd, operation);
    }

    public int pipe2(long twoInts, int flags) {
        return (int) syscall(PIPE2, twoInts, flags);
    }

    public int dup3(int from, int to, int flags) {
        return (int) syscall(DUP3, from, to, flags);
    }

    public int fcntl(int fd, int command, long argument) {
        return (int) syscall(FCNTL, fd, command, argument);
    }

    public int statx(int directory, long path, int flags, int mask, long statx) {
        return (int) syscall(STATX, directory, path, flags, mask, statx);
    }

    public int ftruncate(int fd, long length) {
        return (int) syscall(FTRUNCATE, fd, length);
    }

    public int fallocate(int fd, int mode, long offset, long length) {
        return (int) syscall(FALLOCATE, fd, mode, offset, length);
    }

    public int memfd_create(long name, int flags) {
        return (int) syscall(MEMFD_CREATE, name, flags);
    }

    public int epoll_create1(int flags) {
        return (int) syscall(EPOLL_CREATE1, flags);
    }

    public int epoll_ctl(int epfd, int op, int fd, long event) {
        return (int) syscall(EPOLL_CTL, epfd, op, fd, event);
    }

    public int epoll_pwait(int epfd, long events, int max, int millis, long sigset) {
        return (int) syscall(EPOLL_PWAIT, epfd, events, max, millis, sigset, KERNEL_SIGSET_SIZE);
    }

    public int epoll_pwait2(int epfd, long events, int max, long timespec, long sigset) {
        return (int) syscall(EPOLL_PWAIT2, epfd, events, max, timespec, sigset, KERNEL_SIGSET_SIZE);
    }

    public int eventfd(int initial, int flags) {
        return (int) syscall(EVENTFD2, initial, flags);
    }

    public int timerfd_create(int clock, int flags) {
        return (int) syscall(TIMERFD_CREATE, clock, flags);
    }

    public int timerfd_settime(int fd, int flags, long newItimerspec, long oldItimerspec) {
        return (int) syscall(TIMERFD_SETTIME, fd, flags, newItimerspec, oldItimerspec);
    }

    public int timerfd_gettime(int fd, long itimerspec) {
        return (int) syscall(TIMERFD_GETTIME, fd, itimerspec);
    }

    public int clock_gettime(int clock, long timespec) {
        return (int) syscall(CLOCK_GETTIME, clock, timespec);
    }

    public int ppoll(long pollfds, int count, long timespec, long sigset) {
        return (int) syscall(PPOLL, pollfds, count, timespec, sigset, KERNEL_SIGSET_SIZE);
    }

    public int socket(int domain, int type, int protocol) {
        return (int) syscall(SOCKET, domain, type, protocol);
    }

    public int socketpair(int domain, int type, int protocol, long twoInts) {
        return (int) syscall(SOCKETPAIR, domain, type, protocol, twoInts);
    }

    public int bind(int fd, long address, int length) {
        return (int) syscall(BIND, fd, address, length);
    }

    public int listen(int fd, int backlog) {
        return (int) syscall(LISTEN, fd, backlog);
    }

    public int accept4(int fd, long address, long lengthInOut, int flags) {
        return (int) syscall(ACCEPT4, fd, address, lengthInOut, flags);
    }

    public int inotify_init1(int flags) {
        return (int) syscall(INOTIFY_INIT1, flags);
    }

    public int inotify_add_watch(int fd, long path, int mask) {
        return (int) syscall(INOTIFY_ADD_WATCH, fd, path, mask);
    }

    public int inotify_rm_watch(int fd, int watch) {
        return (int) syscall(INOTIFY_RM_WATCH, fd, watch);
    }

    public int ioctl(int fd, int request, long argument) {
        return (int) syscall(IOCTL, fd, request, argument);
    }

    public int connect(int fd, long address, int length) {
        return (int) syscall(CONNECT, fd, address, length);
    }

    public int getsockname(int fd, long address, long lengthInOut) {
        return (int) syscall(GETSOCKNAME, fd, address, lengthInOut);
    }

    public int getpeername(int fd, long address, long lengthInOut) {
        return (int) syscall(GETPEERNAME, fd, address, lengthInOut);
    }

    public int getsockopt(int fd, int level, int name, long value, long lengthInOut) {
        return (int) syscall(GETSOCKOPT, fd, level, name, value, lengthInOut);
    }

    public int setsockopt(int fd, int level, int name, long value, int length) {
        return (int) syscall(SETSOCKOPT, fd, level, name, value, length);
    }

    public int shutdown(int fd, int how) {
        return (int) syscall(SHUTDOWN, fd, how);
    }

    public long sendto(int fd, long buffer, long length, int flags, long address, int addressLength) {
        return syscall(SENDTO, fd, buffer, length, flags, address, addressLength);
    }

    public long recvfrom(int fd, long buffer, long length, int flags, long address, long lengthInOut) {
        return syscall(RECVFROM, fd, buffer, length, flags, address, lengthInOut);
    }

    public long sendmsg(int fd, long msghdr, int flags) {
        return syscall(SENDMSG, fd, msghdr, flags);
    }

    public long recvmsg(int fd, long msghdr, int flags) {
        return syscall(RECVMSG, fd, msghdr, flags);
    }
}
