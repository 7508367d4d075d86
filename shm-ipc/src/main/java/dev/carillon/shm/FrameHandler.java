package dev.carillon.shm;

/** Takes frames as they come out of the ring. */
@FunctionalInterface
public interface FrameHandler {
    /**
     * Takes one frame.
     *
     * @param frame valid until this returns; {@link Frame#copy} and {@link Frame#retain} keep it
     */
    void onFrame(Frame frame);
}
