package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/**
 * Sets of signals. Linux has 64, and bit n - 1 stands for signal n; the kernel's set is these 8 bytes, glibc's has
 * unused bytes after them. See sigsetops(3).
 */
public final class SigsetLayout {
    /** What system calls take. */
    public static final int KERNEL_SIZE = 8;

    /** sigset_t, which functions of glibc take. */
    public static final int SIZE = 128;

    private SigsetLayout() {}

    /** The bit of one signal. */
    public static long bit(int signal) {
        if (signal < 1 || signal > Long.SIZE) {
            throw new IllegalArgumentException("signal=" + signal + ": 1 to 64 are signals");
        }
        return 1L << (signal - 1);
    }

    /** Writes glibc's form. */
    public static void putGlibc(ByteBuffer bytes, int offset, long set) {
        bytes.putLong(offset, set);
        for (int i = KERNEL_SIZE; i < SIZE; i += Long.BYTES) {
            bytes.putLong(offset + i, 0);
        }
    }
}
