package dev.carillon.loop.access;

import dev.carillon.loop.queue.TimerNode;

/** What a poller may ask of its loop. <b>Threading:</b> the loop thread; its name and {@link #report}: any. */
public interface PolledLoop extends ErrorSink {
    /** Has the loop do something after this poll: the completion of an operation. It never fails. */
    void completed(LoopCommand done);

    /** Sets a timer that is not set. */
    void arm(TimerNode timer, long deadlineNanos);

    /** Takes a timer back, if it is set. */
    void disarm(TimerNode timer);

    /** The loop's clock. */
    long nanoTime();

    /** Whether the loop takes nothing new any more. */
    boolean isEnding();

    /** For events of the flight recorder. */
    String name();

    /** How many events one poll brings at most. */
    int events();

    /** How many bytes of native memory heap buffers pass through. */
    int scratch();
}
