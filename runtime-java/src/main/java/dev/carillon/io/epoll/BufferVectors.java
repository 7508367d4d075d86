package dev.carillon.io.epoll;

import dev.carillon.io.backend.Buffers;
import dev.carillon.sys.BufferScope;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.layout.MessageLayout.Iovec;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
import java.nio.ByteBuffer;

/**
 * Buffers as one array of struct iovec, for one call. It leaves out those without room: they would use up the places, and a
 * call that can move no byte looks like the end of the input, or of the output.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.partial]
final class BufferVectors implements AutoCloseable {
    /** A transfer of more buffers is short, which callers have to expect anyway. */
    private static final int MAX = 64;

    private static final int IOVECS = Msghdr.SIZE;

    private final LibC libc;
    private final NativeBytes scratch;
    private final NativeBytes memory;

    // For each place: which buffer it stands for, how many bytes of it, and whether those are in scratch memory.
    private final int[] indexes = new int[MAX];
    private final int[] lengths = new int[MAX];
    private final boolean[] copied = new boolean[MAX];
    private int count;
    private int total;

    BufferVectors(LibC libc, NativeBytes scratch) {
        this.libc = libc;
        this.scratch = scratch;
        memory = NativeBytes.allocate(libc, IOVECS + MAX * Iovec.SIZE);
    }

    /** Stands for one piece of memory. */
    void one(long address, int length) {
        Iovec.put(memory.bytes(), IOVECS, 0, address, length);
        lengths[0] = length;
        count = 1;
        total = length;
    }

    /**
     * Stands for what remains in buffers, from one of them on, as far as it goes into one call.
     *
     * @param writing whether the call needs the content of those that are copied
     */
    void all(ByteBuffer[] buffers, int from, boolean writing) {
        int scratchLeft = scratch.bytes().capacity();
        count = 0;
        total = 0;
        for (int i = from; i < buffers.length && count < MAX; i++) {
            ByteBuffer buffer = buffers[i];
            int remaining = buffer.remaining();
            if (remaining == 0) {
                continue;
            }
            boolean copies = isCopied(buffer);
            int length = Math.min(remaining, Math.min(Allowance.OF_ONE - total, copies ? scratchLeft : remaining));
            if (length == 0) {
                break;
            }
            add(i, buffer, length, copies, scratch.bytes().capacity() - scratchLeft, writing);
            scratchLeft -= copies ? length : 0;
            if (length < remaining) {
                break;
            }
        }
    }

    private static boolean isCopied(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            return true;
        }
        BufferScope.ensureUsable(buffer);
        return BufferScope.mayEnd(buffer);
    }

    private void add(int index, ByteBuffer buffer, int length, boolean copies, int scratchUsed, boolean writing) {
        if (copies && writing) {
            scratch.bytes().put(scratchUsed, buffer, buffer.position(), length);
        }
        long address = copies ? scratch.address() + scratchUsed : libc.addressOf(buffer) + buffer.position();
        Iovec.put(memory.bytes(), IOVECS, count, address, length);
        indexes[count] = index;
        lengths[count] = length;
        copied[count] = copies;
        count++;
        total += length;
    }

    /** Stands for so many bytes at most from now on. */
    void limit(int most) {
        int left = most;
        int kept = 0;
        while (kept < count && left > 0) {
            lengths[kept] = Math.min(lengths[kept], left);
            memory.bytes().putLong(IOVECS + kept * Iovec.SIZE + Iovec.IOV_LEN, lengths[kept]);
            left -= lengths[kept];
            kept++;
        }
        count = kept;
        total = most - left;
    }

    /** Moves the positions of the buffers that {@link #all} got, by what a call has moved. */
    void moved(ByteBuffer[] buffers, long moved, boolean reading) {
        int used = 0;
        long left = moved;
        for (int i = 0; i < count && left > 0; i++) {
            ByteBuffer buffer = buffers[indexes[i]];
            int part = (int) Math.min(left, lengths[i]);
            Buffers.ensureFits(buffer, part);
            if (reading && copied[i]) {
                buffer.put(buffer.position(), scratch.bytes(), used, part);
            }
            buffer.position(buffer.position() + part);
            used += copied[i] ? lengths[i] : 0;
            left -= part;
        }
    }

    /** How many bytes it stands for; 0 if there was no room in any buffer. */
    int total() {
        return total;
    }

    int count() {
        return count;
    }

    /** The array, for readv(2) and writev(2). */
    long iovecs() {
        return memory.address() + IOVECS;
    }

    /** A struct msghdr around the array. */
    long message() {
        ByteBuffer header = memory.bytes();
        header.putLong(Msghdr.MSG_NAME, 0);
        header.putInt(Msghdr.MSG_NAMELEN, 0);
        header.putLong(Msghdr.MSG_IOV, iovecs());
        header.putLong(Msghdr.MSG_IOVLEN, count);
        header.putLong(Msghdr.MSG_CONTROL, 0);
        header.putLong(Msghdr.MSG_CONTROLLEN, 0);
        header.putInt(Msghdr.MSG_FLAGS, 0);
        return memory.address();
    }

    /** The memory of {@link #message}, for further fields, and for those that the kernel has written. */
    ByteBuffer header() {
        return memory.bytes();
    }

    @Override
    public void close() {
        memory.close();
    }
}
