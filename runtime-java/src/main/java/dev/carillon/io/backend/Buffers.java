package dev.carillon.io.backend;

import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Objects;

/** Refuses buffers with which an operation could only do nothing. */
// r[impl io.buffers]
public final class Buffers {
    private Buffers() {}

    public static void ensureWritable(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("buffer=" + buffer + " is read-only and cannot be read into");
        }
        ensureRemaining(buffer);
    }

    public static void ensureRemaining(ByteBuffer buffer) {
        if (!buffer.hasRemaining()) {
            throw new IllegalArgumentException("buffer=" + buffer
                    + " has nothing remaining: clear() or flip() it, or the operation could never do anything");
        }
    }

    /** A copy, since the caller may change the array while the operation waits. */
    public static ByteBuffer[] ensureWritable(ByteBuffer[] buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.isReadOnly()) {
                ensureWritable(buffer);
            }
        }
        return ensureRemaining(buffers);
    }

    public static ByteBuffer[] ensureRemaining(ByteBuffer[] buffers) {
        ByteBuffer[] copy = buffers.clone();
        if (copy.length == 0) {
            throw new IllegalArgumentException("buffers=0: give one buffer at least");
        }
        boolean remains = false;
        for (int i = 0; i < copy.length; i++) {
            // Looks at all: a null would otherwise fail on the loop thread, far from the caller.
            remains |= Objects.requireNonNull(copy[i], "buffers[" + i + "]").hasRemaining();
        }
        ensureDifferent(copy);
        if (!remains) {
            throw new IllegalArgumentException("buffers=" + copy.length
                    + ": nothing remains in any of them: clear() or flip() them, or the operation could never do"
                    + " anything");
        }
        return copy;
    }

    /** Refuses one buffer twice: the bytes that move for the first would move again for the second. */
    private static void ensureDifferent(ByteBuffer[] buffers) {
        IdentityHashMap<ByteBuffer, Integer> seen = new IdentityHashMap<>(buffers.length);
        for (int i = 0; i < buffers.length; i++) {
            Integer before = buffers[i].hasRemaining() ? seen.put(buffers[i], i) : null;
            if (before != null) {
                throw twice(before, i);
            }
        }
    }

    private static IllegalArgumentException twice(int before, int again) {
        return new IllegalArgumentException("buffers[" + before + "] and buffers[" + again
                + "] are the same buffer, which has one position only; give a duplicate() of it");
    }

    public static long remaining(ByteBuffer[] buffers) {
        long total = 0;
        for (ByteBuffer buffer : buffers) {
            total += buffer.remaining();
        }
        return total;
    }

    /** The check before bytes are moved: no bytes would look like an end. */
    public static void ensureStillRemaining(boolean remains) {
        if (!remains) {
            throw changed(
                    "nothing remains in the buffer any more, though something did when the operation was started");
        }
    }

    /** The check after bytes were moved: the position of the buffer has to show them. */
    public static void ensureFits(ByteBuffer buffer, int moved) {
        if (moved > buffer.remaining()) {
            throw changed("bytes=" + moved + " were moved, and buffer=" + buffer + " has no place for them any more");
        }
    }

    /** Whether an operation that goes on until all bytes are moved has moved them. */
    public static boolean isAll(Request request) {
        boolean remains = request.hasRemaining();
        if (remains != request.result() < request.wanted) {
            throw changed("bytes=" + request.result() + " were moved, and not the bytes=" + request.wanted
                    + " that remained when the operation was started");
        }
        return !remains;
    }

    private static IllegalStateException changed(String what) {
        return new IllegalStateException(what + ": somebody has changed the position or limit of a buffer meanwhile,"
                + " and a buffer belongs to one operation until that is told");
    }
}
