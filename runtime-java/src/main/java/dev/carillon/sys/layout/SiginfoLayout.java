package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/** siginfo_t: who sent a signal and why. See sigaction(2). */
public final class SiginfoLayout {
    public static final int SIZE = 128;
    public static final int SI_SIGNO = 0;
    public static final int SI_ERRNO = 4;
    public static final int SI_CODE = 8;
    public static final int SI_PID = 16;
    public static final int SI_UID = 20;
    public static final int SI_STATUS = 24;
    public static final int SI_VALUE = 24;

    private SiginfoLayout() {}

    /** Writes what sigqueue(3) writes: a value, and who we are. */
    public static void putQueued(ByteBuffer bytes, int offset, int signal, int pid, int uid, long value) {
        for (int i = 0; i < SIZE; i += Long.BYTES) {
            bytes.putLong(offset + i, 0);
        }
        bytes.putInt(offset + SI_SIGNO, signal);
        bytes.putInt(offset + SI_CODE, Constants.SI_QUEUE);
        bytes.putInt(offset + SI_PID, pid);
        bytes.putInt(offset + SI_UID, uid);
        bytes.putLong(offset + SI_VALUE, value);
    }
}
