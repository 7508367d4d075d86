package dev.carillon.shm.channel;

/** The credit that a frame uses: what its receiver needs to keep it. */
public final class FrameCost {
    /** What a frame costs beside its payload. */
    private static final int FRAME = 32;

    private FrameCost() {}

    /** That of a frame with a payload of so many bytes. */
    public static long of(int length) {
        return length + (long) FRAME;
    }
}
