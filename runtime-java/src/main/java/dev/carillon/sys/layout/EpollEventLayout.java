package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/** struct epoll_event: packed on x86-64, so that 32-bit programs could share it, and nowhere else. See epoll_ctl(2). */
// r[impl sys.layout]
public final class EpollEventLayout {
    public static final int SIZE = Architecture.isX86() ? 12 : 16;
    public static final int EVENTS = 0;
    public static final int DATA = Architecture.isX86() ? 4 : 8;

    private EpollEventLayout() {}

    public static int events(ByteBuffer array, int index) {
        return array.getInt(index * SIZE + EVENTS);
    }

    public static long data(ByteBuffer array, int index) {
        return array.getLong(index * SIZE + DATA);
    }

    public static void put(ByteBuffer array, int index, int events, long data) {
        array.putInt(index * SIZE + EVENTS, events);
        array.putLong(index * SIZE + DATA, data);
    }
}
