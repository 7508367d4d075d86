package dev.carillon.sys.call;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;

/** Tells what a caller expects from what it does not. */
final class Results {
    private Results() {}

    static int checked(String call, int result) {
        if (result < 0) {
            throw Failure.of(call, result);
        }
        return result;
    }

    static long checked(String call, long result) {
        if (result < 0) {
            throw Failure.of(call, result);
        }
        return result;
    }

    // r[impl sys.expected]
    /** Gives EAGAIN back as a value. */
    static long orAgain(String call, long result) {
        return result == -Errno.EAGAIN ? result : checked(call, result);
    }

    // r[impl sys.numbers]
    static int descriptor(int fd) {
        if (fd < 0) {
            throw new IllegalArgumentException("fd=" + fd + ": a descriptor is not negative");
        }
        return fd;
    }

    static long notNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + "=" + value + ": is not to be negative");
        }
        return value;
    }
}
