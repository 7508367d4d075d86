package dev.carillon.shm;

/** Writes the frames of a batch, one after the other. */
@FunctionalInterface
public interface BatchWriter {
    /**
     * Writes one frame: {@link FrameWriter#begin}, and then its bytes.
     *
     * @param index how many frames the batch has so far
     * @param frame where to write; it is the same one each time, and valid until this returns
     * @return whether the frame is whole; false ends the batch before it
     */
    boolean write(int index, FrameWriter frame);
}
