package dev.carillon.loop.access;

import org.jspecify.annotations.Nullable;

/** A descriptor that a poller watches, see {@link Poller#watch}. <b>Threading:</b> the loop thread. */
public abstract class WatchedDescriptor extends LoopCommand {
    /** What the poller keeps for it; null while it is not watched. */
    public @Nullable Object registration;

    /** Not watched yet. */
    protected WatchedDescriptor() {}

    /** The descriptor; it stays its owner's. */
    public abstract int number();

    /** The poller saw an event. It may call this often; this never fails. */
    public abstract void ready();

    /** The loop ends while the watch is open. The poller may call this often. */
    public abstract void loopEnds();
}
