package dev.carillon.loop.access;

import dev.carillon.loop.queue.TimerNode;

/** What a loop offers to its poller. <b>Threading:</b> the loop thread; its name and {@link #report}: any. */
public interface PolledLoop extends ErrorSink {
    /** Has the loop run a command after this poll, such as the completion of an operation. Never fails. */
    void completed(LoopCommand done);

    /** Sets a timer that is not set. */
    void arm(TimerNode timer, long deadlineNanos);

    /** Cancels a timer, if it is set. */
    void disarm(TimerNode timer);

    /** The loop's clock. */
    long nanoTime();

    /** Whether the loop accepts nothing any more. */
    boolean isEnding();

    /** The loop's name, for events of the flight recorder. */
    String name();

    /** How many events one poll brings at most. */
    int events();

    /** How many bytes of native memory heap buffers pass through. */
    int scratch();
}
