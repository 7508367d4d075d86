package dev.carillon.sys;

/**
 * How the kernel is reached, by number of arguments: JNA pays for each argument, so none is passed for nothing.
 *
 * <p>Each returns the kernel's result, or -errno.
 */
abstract class SyscallDoor {
    abstract long syscall(long number);

    abstract long syscall(long number, long a);

    abstract long syscall(long number, long a, long b);

    abstract long syscall(long number, long a, long b, long c);

    abstract long syscall(long number, long a, long b, long c, long d);

    abstract long syscall(long number, long a, long b, long c, long d, long e);

    abstract long syscall(long number, long a, long b, long c, long d, long e, long f);
}
