package dev.carillon.loop;

import java.nio.ByteBuffer;

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
        for (ByteBuffer buffer : buffers) {
            if (buffer.hasRemaining()) {
                return buffers.clone();
            }
        }
        throw new IllegalArgumentException("buffers=" + buffers.length
                + ": nothing remains in any of them: clear() or flip() them, or the operation could never do anything");
    }
}
