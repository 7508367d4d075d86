package dev.carillon.sys;

import dev.carillon.sys.layout.Architecture;
import java.nio.ByteBuffer;

/** Takes system calls away from this process, or a thread of it, for good, as a container's profile does. See seccomp(2). */
public final class Seccomp {
    private static final int PRCTL = Architecture.isX86() ? 157 : 167;
    private static final int SECCOMP = Architecture.isX86() ? 317 : 277;
    private static final int NO_NEW_PRIVILEGES = 38;
    private static final int SET_FILTER = 1;
    private static final int FOR_ALL_THREADS = 1;
    private static final int INSTRUCTION = 8;
    private static final int PROGRAM = 512;
    private static final short LOAD = 0x20;
    private static final short JUMP_IF_EQUAL = 0x15;
    private static final short RETURN = 0x06;
    private static final int ALLOW = 0x7fff_0000;
    private static final int FAIL = 0x0005_0000;

    private Seccomp() {}

    /** From now on these calls fail with this error. */
    public static void refuse(LibC libc, int errno, int... calls) {
        refuse(libc, FOR_ALL_THREADS, errno, calls);
    }

    /** From now on these calls fail with this error on the calling thread, and on those that it starts. */
    public static void refuseHere(LibC libc, int errno, int... calls) {
        refuse(libc, 0, errno, calls);
    }

    private static void refuse(LibC libc, int flags, int errno, int... calls) {
        try (NativeBytes memory = NativeBytes.allocate(libc, 1024)) {
            ByteBuffer bytes = memory.bytes();
            put(bytes, 0, LOAD, 0, 0);
            for (int i = 0; i < calls.length; i++) {
                put(bytes, i + 1, JUMP_IF_EQUAL, calls.length - i, calls[i]);
            }
            put(bytes, calls.length + 1, RETURN, 0, ALLOW);
            put(bytes, calls.length + 2, RETURN, 0, FAIL | errno);
            bytes.putShort(PROGRAM, (short) (calls.length + 3)).putLong(PROGRAM + 8, memory.address());
            succeed(libc.syscall(PRCTL, NO_NEW_PRIVILEGES, 1, 0, 0, 0));
            succeed(libc.syscall(SECCOMP, SET_FILTER, flags, memory.address() + PROGRAM));
        }
    }

    private static void put(ByteBuffer bytes, int index, short code, int jump, int k) {
        int at = index * INSTRUCTION;
        bytes.putShort(at, code).put(at + 2, (byte) jump).put(at + 3, (byte) 0).putInt(at + 4, k);
    }

    private static void succeed(long result) {
        if (result != 0) {
            throw Failure.of("seccomp", result);
        }
    }
}
