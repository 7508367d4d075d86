package dev.carillon.loop;

import java.nio.ByteBuffer;
import java.util.Objects;

/** Refuses buffers with which an operation could only do nothing. */
// r[impl io.buffers]
final class Buffers {
    private Buffers() {}

    static void ensureWritable(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("buffer=" + buffer + " is read-only and cannot be read into");
        }
        ensureRemaining(buffer);
    }

    static void ensureRemaining(ByteBuffer buffer) {
        if (!buffer.hasRemaining()) {
            throw new IllegalArgumentException("buffer=" + buffer
                    + " has nothing remaining: clear() or flip() it, or the operation could never do anything");
        }
    }

    /** A copy, since the caller may change the array while the operation waits. */
    static ByteBuffer[] ensureWritable(ByteBuffer[] buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.isReadOnly()) {
                ensureWritable(buffer);
            }
        }
        return ensureRemaining(buffers);
    }

    static ByteBuffer[] ensureRemaining(ByteBuffer[] buffers) {
        ByteBuffer[] copy = buffers.clone();
        if (copy.length == 0) {
            throw new IllegalArgumentException("buffers=0: give one buffer at least");
        }
        boolean remains = false;
        for (int i = 0; i < copy.length; i++) {
            // All are looked at: what is null would otherwise be found on the loop thread, where nobody can be told.
            remains |= Objects.requireNonNull(copy[i], "buffers[" + i + "]").hasRemaining();
        }
        if (!remains) {
            throw new IllegalArgumentException("buffers=" + copy.length
                    + ": nothing remains in any of them: clear() or flip() them, or the operation could never do"
                    + " anything");
        }
        return copy;
    }
}
