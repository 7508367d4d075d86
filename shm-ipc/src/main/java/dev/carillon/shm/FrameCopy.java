package dev.carillon.shm;

import org.jspecify.annotations.Nullable;

/**
 * Takes one frame, as a copy. What that needs of the heap is there before the frame is taken, so that a full heap loses none.
 *
 * <p><b>Threading:</b> the thread that receives.
 */
// r[impl shm.heap]
final class FrameCopy implements FrameHandler {
    private @Nullable Frame room;
    private @Nullable Frame received;

    /** A frame of that length may be the next one. */
    void reserve(int length) {
        room = null;
        room = Frame.room(length);
    }

    @Override
    public void onFrame(Frame frame) {
        Frame copy = room;
        if (copy == null) {
            // It was kept, and has bytes of its own already.
            received = frame;
            return;
        }
        frame.copyInto(copy);
        received = copy;
    }

    /** Null if there was none. */
    @Nullable
    Frame received() {
        return received;
    }
}
