package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/** Times as the kernel takes them: seconds and the nanoseconds left over. */
public final class TimeLayout {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private TimeLayout() {}

    /** struct timespec. */
    public static final class Timespec {
        public static final int SIZE = 16;
        public static final int TV_SEC = 0;
        public static final int TV_NSEC = 8;

        private Timespec() {}

        /** Writes a time that is not negative. */
        public static void put(ByteBuffer bytes, int offset, long nanos) {
            bytes.putLong(offset + TV_SEC, nanos / NANOS_PER_SECOND);
            bytes.putLong(offset + TV_NSEC, nanos % NANOS_PER_SECOND);
        }

        public static long nanos(ByteBuffer bytes, int offset) {
            return bytes.getLong(offset + TV_SEC) * NANOS_PER_SECOND + bytes.getLong(offset + TV_NSEC);
        }
    }

    /** struct itimerspec: two of them. See timerfd_settime(2). */
    public static final class Itimerspec {
        public static final int SIZE = 32;
        public static final int IT_INTERVAL = 0;
        public static final int IT_VALUE = 16;

        private Itimerspec() {}

        public static void put(ByteBuffer bytes, int offset, long valueNanos, long intervalNanos) {
            Timespec.put(bytes, offset + IT_INTERVAL, intervalNanos);
            Timespec.put(bytes, offset + IT_VALUE, valueNanos);
        }
    }
}
