package dev.carillon.loop.access;

import org.jspecify.annotations.Nullable;

/** A descriptor that a poller watches until it is told to end that. <b>Threading:</b> the loop thread. */
public abstract class WatchedDescriptor extends LoopCommand {
    /** What the poller keeps for it; null while it is not watched. */
    public @Nullable Object registration;

    /** Not watched yet. */
    protected WatchedDescriptor() {}

    /** The descriptor, which belongs to somebody else. */
    public abstract int number();

    /** The poller saw an event. It may be called often; it never fails. */
    public abstract void ready();

    /** The loop ends, and somebody may still wait for it. It may be called often. */
    public abstract void loopEnds();
}
