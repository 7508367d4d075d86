package dev.carillon.benchmarks.worker;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;

/** Looks at the results of system calls that must not fail here. */
public final class Calls {
    private Calls() {}

    /** Returns the result, unless it is a negative errno. */
    public static long check(String call, long result) {
        if (result < 0) {
            throw failure(call, (int) -result);
        }
        return result;
    }

    /** Returns the result, unless it is a negative errno. */
    public static int check(String call, int result) {
        if (result < 0) {
            throw failure(call, -result);
        }
        return result;
    }

    private static SyscallException failure(String call, int errno) {
        return new SyscallException(call, errno, Errno.name(errno), null);
    }
}
