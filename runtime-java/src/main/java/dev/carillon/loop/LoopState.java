package dev.carillon.loop;

import java.util.concurrent.RejectedExecutionException;

/**
 * How far a loop is on its way to its end, and the refusal of what comes too late. No step goes back.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LoopState {
    private final LoopThread thread;

    /** It was asked to stop, and refuses other threads. */
    private volatile boolean stopping;

    /** It does not block again, and drains nothing. */
    private volatile boolean hurrying;

    /** It refuses the loop thread, too. */
    private volatile boolean ending;

    /** An error has ended the loop, or is about to. */
    private volatile boolean failed;

    LoopState(LoopThread thread) {
        this.thread = thread;
    }

    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    void hurry() {
        hurrying = true;
    }

    boolean isHurrying() {
        return hurrying;
    }

    void beginEnding() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }

    void fail() {
        failed = true;
    }

    boolean hasFailed() {
        return failed;
    }

    void ensureAcceptsLocal() {
        if (ending) {
            throw refused();
        }
    }

    /** Throws where it is too late to open something on the loop. */
    // r[impl io.closed-loop]
    void ensureAccepting() {
        if (thread.isMine() ? ending : stopping) {
            throw refused();
        }
    }

    RejectedExecutionException refused() {
        return new RejectedExecutionException(thread + (thread.isEnded() ? " has ended" : " is stopping")
                + " and takes no new work"
                + (thread.isEndedByExit()
                        ? ", since the VM exits; hold the exit before it begins (EventLoop.holdExit), or open a loop in"
                                + " the shutdown hook that needs one"
                        : "; stop the threads that post to it first"));
    }
}
