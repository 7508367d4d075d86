package dev.carillon.shm;

import org.jspecify.annotations.Nullable;

/**
 * A queue of frames that needs no memory of the heap to take one more: the frame comes with its place.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
// r[impl shm.heap]
final class KeptFrames {
    private @Nullable Kept first;
    private @Nullable Kept last;
    private int size;

    /** A frame with its place. */
    static final class Kept {
        private final Frame frame;
        private @Nullable Kept next;

        Kept(Frame frame) {
            this.frame = frame;
        }

        Frame frame() {
            return frame;
        }
    }

    void add(Kept kept) {
        if (last == null) {
            first = kept;
        } else {
            last.next = kept;
        }
        last = kept;
        size++;
    }

    /** The oldest one. */
    @Nullable
    Frame poll() {
        Kept oldest = first;
        if (oldest == null) {
            return null;
        }
        first = oldest.next;
        if (first == null) {
            last = null;
        }
        size--;
        return oldest.frame;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }
}
