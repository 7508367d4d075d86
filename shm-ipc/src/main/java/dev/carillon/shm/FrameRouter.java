package dev.carillon.shm;

import dev.carillon.shm.ring.EntryHeader;

/** Decides who takes a frame that is not a plain one: of a channel, or for control. */
interface FrameRouter {
    /** Takes a frame for nobody. */
    FrameHandler NOBODY = frame -> {};

    /**
     * Who takes a frame; it was read, and is given back whatever comes of it.
     *
     * @param handler who polls
     * @param scope what the poll is for
     * @return the one who polls, or who keeps the frame instead
     */
    FrameHandler route(EntryHeader header, FrameHandler handler, Scope scope);

    /** A poll that has routed frames is over, and their handlers are. */
    void settle();

    /** What a poll takes; it ends before what it does not take. */
    enum Scope {
        /** All frames. */
        ALL,

        /** Control frames and those of channels. */
        CHANNELS,

        /** Control frames. */
        CONTROL
    }
}
