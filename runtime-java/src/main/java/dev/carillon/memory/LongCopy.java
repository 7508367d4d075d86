package dev.carillon.memory;

import dev.carillon.sys.LibC;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Writes many bytes into memory that another core has read, by memcpy of C.
 *
 * <p>The VM copies with loads and stores, for which a core fetches each line from the other core before it overwrites all
 * of it. C's memcpy takes the processor's own instruction for many bytes, which does not fetch: 4 to 5 times as fast. An
 * array has no address that stays, so what is written goes by a piece of memory that the first cache holds.
 *
 * <p>To be used for memory of which no page can be lost: a fault in C ends the VM.
 *
 * <p><b>Threading:</b> any thread; one at a time, and the others copy in the VM's way.
 */
// r[impl memory.long-copy]
final class LongCopy {
    /** From so many bytes on the instruction is worth its start, and the call. */
    static final int LEAST = 8 * 1024;

    private static final int PIECE = 16 * 1024;

    private final LibC libc;
    private final long target;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** Made when it is first needed. */
    private @Nullable ByteBuffer piece;

    private long pieceAddress;

    /**
     * Writes to the memory of one region.
     *
     * @param target where it begins
     */
    LongCopy(LibC libc, long target) {
        this.libc = libc;
        this.target = target;
    }

    /**
     * Copies a part of an array. The caller keeps the region reachable, and so this and its piece.
     *
     * @param at where to, from the start of the region; checked by the caller, as the others are
     * @return false if it has not, since another thread does
     */
    boolean write(int at, byte[] source, int from, int length) {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            ByteBuffer through = piece();
            for (int done = 0; done < length; done += PIECE) {
                int some = Math.min(PIECE, length - done);
                through.put(0, source, from + done, some);
                libc.memcpy(target + at + done, pieceAddress, some);
            }
        } finally {
            busy.set(false);
        }
        return true;
    }

    private ByteBuffer piece() {
        ByteBuffer known = piece;
        if (known != null) {
            return known;
        }
        ByteBuffer made = ByteBuffer.allocateDirect(PIECE);
        pieceAddress = libc.addressOf(made);
        piece = made;
        return made;
    }
}
