package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.call.Results.descriptor;

import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.layout.PollfdLayout;
import dev.carillon.sys.layout.TimeLayout.Timespec;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A few descriptors to be waited for together, without any registration.
 *
 * <p><b>Threading:</b> one thread at a time; its wait is a blocking call.
 *
 * <p><b>Ownership:</b> owns no descriptor.
 *
 * <p><b>See:</b> ppoll(2).
 */
public final class PollSet {
    private static final long NOW = 0;
    private static final long NO_TIMESPEC = 0;

    private final LibC libc;
    private final int size;
    private final int timeOffset;
    private final ByteBuffer memory;
    private final long address;

    PollSet(LibC libc, int size) {
        this.libc = libc;
        this.size = size;
        timeOffset = size * PollfdLayout.SIZE;
        memory = ByteBuffer.allocateDirect(timeOffset + Timespec.SIZE).order(ByteOrder.nativeOrder());
        address = libc.addressOf(memory);
    }

    /** Says what one place of the set waits for (POLL flags); errors and hang-ups are always reported. */
    public void set(int index, int fd, int events) {
        memory.putInt(index * PollfdLayout.SIZE + PollfdLayout.FD, descriptor(fd));
        memory.putShort(index * PollfdLayout.SIZE + PollfdLayout.EVENTS, (short) events);
    }

    /** Asks without waiting: how many descriptors are ready. */
    public int now() {
        int count;
        do {
            count = once(NOW);
        } while (count == -Errno.EINTR);
        return count;
    }

    /**
     * Waits until a descriptor is ready.
     *
     * @param deadlineNanos on the clock of System.nanoTime()
     * @return how many are ready; 0 when the deadline has passed
     */
    public int awaitUntil(long deadlineNanos) {
        LoopThreads.ensureMayBlock("poll");
        int count;
        do {
            count = once(Math.max(NOW, deadlineNanos - System.nanoTime()));
        } while (count == -Errno.EINTR);
        return count;
    }

    /** Waits until a descriptor is ready, without end. */
    public int await() {
        LoopThreads.ensureMayBlock("poll");
        int count;
        do {
            count = poll(NO_TIMESPEC);
        } while (count == -Errno.EINTR);
        return count;
    }

    private int once(long nanos) {
        Timespec.put(memory, timeOffset, nanos);
        return poll(address + timeOffset);
    }

    private int poll(long timespec) {
        try {
            int count = libc.ppoll(address, size, timespec, 0);
            return count == -Errno.EINTR ? count : checked("ppoll", count);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** What was found in a place of the set (POLL flags). */
    public int found(int index) {
        return memory.getShort(index * PollfdLayout.SIZE + PollfdLayout.REVENTS);
    }
}
