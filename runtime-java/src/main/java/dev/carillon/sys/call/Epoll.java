package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;
import static dev.carillon.sys.layout.Constants.CLOCK_MONOTONIC;
import static dev.carillon.sys.layout.Constants.EPOLLET;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.EPOLL_CLOEXEC;
import static dev.carillon.sys.layout.Constants.EPOLL_CTL_ADD;
import static dev.carillon.sys.layout.Constants.EPOLL_CTL_DEL;
import static dev.carillon.sys.layout.Constants.EPOLL_CTL_MOD;
import static dev.carillon.sys.layout.Constants.TFD_CLOEXEC;
import static dev.carillon.sys.layout.Constants.TFD_NONBLOCK;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.layout.EpollEventLayout;
import dev.carillon.sys.layout.TimeLayout.Itimerspec;
import dev.carillon.sys.layout.TimeLayout.Timespec;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * One epoll descriptor with the memory for its events.
 *
 * <p>Timeouts are kept to the nanosecond: by epoll_pwait2, or where the kernel or a seccomp profile has none, by a
 * timerfd among the watched descriptors.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> closes its own descriptors, never the watched ones.
 *
 * <p><b>See:</b> epoll(7).
 */
public final class Epoll implements AutoCloseable {
    /** A timeout that never ends. */
    public static final long FOR_EVER = -1;

    /** So many events one call brings at most: their memory has a size that fits into an int, for the kernel as well. */
    public static final int MAX_EVENTS =
            (Integer.MAX_VALUE - Long.BYTES - Itimerspec.SIZE - EpollEventLayout.SIZE) / EpollEventLayout.SIZE;

    /** What the timer's event carries; add() refuses it for others. */
    private static final long TIMER_DATA = Long.MIN_VALUE + 0x7173;

    private static final int NO_TIMER = Integer.MIN_VALUE;

    private final LibC libc;
    private final int capacity;
    private final ByteBuffer memory;
    private final long address;
    private final int timeOffset;
    private final int eventOffset;
    private final Fd epoll;
    private final int number;
    private final @Nullable Fd timer;
    private final int timerNumber;
    private boolean timerIsSet;

    Epoll(LibC libc, int capacity) {
        this(libc, capacity, Feature.EPOLL_PWAIT2.availability().isAvailable());
    }

    Epoll(LibC libc, int capacity, boolean pwait2) {
        if (capacity < 1 || capacity > MAX_EVENTS) {
            throw new IllegalArgumentException("capacity=" + capacity + ": 1 to " + MAX_EVENTS + " events");
        }
        this.libc = libc;
        this.capacity = capacity;
        timeOffset = Math.multiplyExact(capacity, EpollEventLayout.SIZE) + Long.BYTES & -Long.BYTES;
        eventOffset = timeOffset + Itimerspec.SIZE;
        memory = ByteBuffer.allocateDirect(eventOffset + EpollEventLayout.SIZE).order(ByteOrder.nativeOrder());
        address = libc.addressOf(memory);
        epoll = Fd.opened(libc, checked("epoll_create1", libc.epoll_create1(EPOLL_CLOEXEC)));
        number = epoll.acquire();
        Fd own = null;
        boolean complete = false;
        try {
            own = pwait2 ? null : timer(libc);
            timerNumber = own == null ? NO_TIMER : own.acquire();
            if (own != null) {
                control(EPOLL_CTL_ADD, timerNumber, EPOLLIN | EPOLLET, TIMER_DATA);
            }
            complete = true;
        } finally {
            timer = own;
            if (!complete) {
                close();
            }
        }
    }

    private static Fd timer(LibC libc) {
        int timer = libc.timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        return Fd.opened(libc, checked("timerfd_create", timer));
    }

    /**
     * Watches a descriptor.
     *
     * @param events EPOLL flags of epoll_ctl(2)
     * @param data comes back with each event; Long.MIN_VALUE + 0x7173 is ours
     * @return false if it is of a kind that is always ready and cannot be watched, as a plain file
     */
    public boolean add(int fd, int events, long data) {
        if (data == TIMER_DATA) {
            throw new IllegalArgumentException("data=" + data + ": is kept for the timer");
        }
        return control(EPOLL_CTL_ADD, fd, events, data);
    }

    /** Changes what a descriptor is watched for. */
    public void modify(int fd, int events, long data) {
        control(EPOLL_CTL_MOD, fd, events, data);
    }

    /** Ends the watching, which must come before the descriptor is closed: a copy of it elsewhere would keep it. */
    public void remove(int fd) {
        control(EPOLL_CTL_DEL, fd, 0, 0);
    }

    private boolean control(int op, int fd, int events, long data) {
        memory.putInt(eventOffset + EpollEventLayout.EVENTS, events);
        memory.putLong(eventOffset + EpollEventLayout.DATA, data);
        try {
            int result = libc.epoll_ctl(number, op, descriptor(fd), address + eventOffset);
            if (result == -Errno.EPERM && op == EPOLL_CTL_ADD) {
                return false;
            }
            checked("epoll_ctl", result);
        } finally {
            Reference.reachabilityFence(memory);
        }
        return true;
    }

    /**
     * Waits for events.
     *
     * @param timeoutNanos 0 does not wait, negative waits without end
     * @return how many came; 0 when the time is out, and also after an interruption, so look at the clock
     */
    public int await(long timeoutNanos) {
        try {
            int count = timer == null ? pwait2(timeoutNanos) : pwait(timeoutNanos);
            return count == -Errno.EINTR ? 0 : count;
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    private int pwait2(long timeoutNanos) {
        long time = 0;
        if (timeoutNanos >= 0) {
            Timespec.put(memory, timeOffset, timeoutNanos);
            time = address + timeOffset;
        }
        int count = libc.epoll_pwait2(number, address, capacity, time, 0);
        return count == -Errno.EINTR ? count : checked("epoll_pwait2", count);
    }

    // r[impl sys.epoll-timeout]
    private int pwait(long timeoutNanos) {
        // Setting it anew also forgets that it ran out before, so that no old timeout ends this wait.
        if (timeoutNanos > 0 || timerIsSet) {
            Itimerspec.put(memory, timeOffset, Math.max(timeoutNanos, 0), 0);
            checked("timerfd_settime", libc.timerfd_settime(timerNumber, 0, address + timeOffset, 0));
            timerIsSet = timeoutNanos > 0;
        }
        int count = libc.epoll_pwait(number, address, capacity, timeoutNanos == 0 ? 0 : -1, 0);
        return count == -Errno.EINTR ? count : withoutTimer(checked("epoll_pwait", count));
    }

    /** The last event takes the place of the timer's, of which there is one at most. */
    private int withoutTimer(int count) {
        for (int i = 0; i < count; i++) {
            if (data(i) == TIMER_DATA) {
                EpollEventLayout.put(memory, i, events(count - 1), data(count - 1));
                return count - 1;
            }
        }
        return count;
    }

    /** The EPOLL flags of an event of the last wait. */
    public int events(int index) {
        return EpollEventLayout.events(memory, index);
    }

    /** What the event's descriptor was added with. */
    public long data(int index) {
        return EpollEventLayout.data(memory, index);
    }

    /** How many events one wait can bring. */
    public int capacity() {
        return capacity;
    }

    /** The number of the epoll descriptor, which is readable while there are events; this object's until it is closed. */
    public int number() {
        return number;
    }

    @Override
    public void close() {
        if (epoll.isOpen()) {
            StackRoom.ensureAround();
            try {
                closeEntered(epoll);
            } finally {
                if (timer != null) {
                    closeEntered(timer);
                }
            }
        }
    }

    private static void closeEntered(Fd fd) {
        try {
            fd.close();
        } finally {
            fd.release();
        }
    }
}
