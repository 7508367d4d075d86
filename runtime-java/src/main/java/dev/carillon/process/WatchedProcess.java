package dev.carillon.process;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Sys;

/**
 * Sees the end of one process that is no child, and has {@link ProcessEnd} tell it.
 *
 * <p>States: WATCHED (its loop looks, by {@link Lookout}) -> ENDED (the process has ended, and the pidfd is closed) or LEFT (the
 * loop has ended first; the pidfd answers) -> CLOSED (by the caller). WATCHED -> CLOSED.
 *
 * <p><b>Threading:</b> any thread, under this object's lock; callbacks are called without it. No call under it blocks.
 */
final class WatchedProcess implements LoopService {
    private enum State {
        WATCHED,
        LEFT,
        ENDED,
        CLOSED
    }

    private final Sys sys;
    private final OpenProcess process;
    private final ProcessEnd end;
    private final Lookout lookout;
    private State state = State.WATCHED;
    private boolean released;

    WatchedProcess(Sys sys, OpenProcess process, EventLoop loop, ProcessEnd end) {
        this.sys = sys;
        this.process = process;
        this.end = end;
        lookout = new Lookout(this, loop, process.pidfd()::number, this::look);
    }

    /** Has the loop look. If this fails, the pidfd is the caller's. */
    // r[impl process.watch]
    synchronized void begin() {
        boolean begun = false;
        try {
            lookout.begin(lookout.loop());
            begun = true;
        } finally {
            if (!begun) {
                // The loop may be about to tell of its end, and the caller closes the pidfd.
                state = State.CLOSED;
            }
        }
    }

    int pid() {
        return process.pid();
    }

    long startTime() {
        return process.startTime();
    }

    /** On the loop thread: it has ended, or was said to be about to. */
    private void look() {
        try {
            synchronized (this) {
                if (state != State.WATCHED || !hasEndedNow()) {
                    return;
                }
                state = State.ENDED;
                end.settle(null, null);
                release();
            }
        } finally {
            // Whatever there was no memory for.
            end.callBack();
        }
    }

    /** Nothing looks any more, and the pidfd is closed; where memory is short for that, {@link #close} makes up for it. */
    private void release() {
        if (!released) {
            lookout.end();
            process.pidfd().close();
            released = true;
        }
    }

    private boolean hasEndedNow() {
        return sys.processes().hasEnded(process.pidfd().number());
    }

    // r[impl process.watch-loop-end]
    @Override
    public void onLoopEnd() {
        // It may have ended just now.
        look();
        leave();
    }

    /** The loop may never come to its end: its thread may be what called exit. */
    @Override
    public void onExit() {
        onLoopEnd();
    }

    private void leave() {
        try {
            synchronized (this) {
                if (state != State.WATCHED) {
                    return;
                }
                state = State.LEFT;
                end.settle(null, loopEnded());
                lookout.stop();
            }
        } finally {
            end.callBack();
        }
    }

    private Throwable loopEnded() {
        try {
            return new ClosedException(lookout.loop() + " has ended before process " + pid()
                    + ", and no other loop watches it: ask isAlive(), or watch it on another loop");
        } catch (OutOfMemoryError full) {
            return full;
        }
    }

    /** Whether the process goes on. */
    synchronized boolean isAlive() {
        return state != State.ENDED && isAliveNow();
    }

    /** Sends a signal; false if it has ended. */
    // r[impl process.watch-signal]
    synchronized boolean send(int signal) {
        return state != State.ENDED && isAliveNow() && isSent(signal);
    }

    private boolean isAliveNow() {
        if (state == State.CLOSED) {
            throw new ClosedException("the watch of process " + pid() + " was used after it was closed");
        }
        return !hasEndedNow();
    }

    private boolean isSent(int signal) {
        try {
            int result = sys.signals().sendToDescriptor(process.pidfd().number(), signal);
            if (result == -Errno.EAGAIN) {
                throw Failure.of(
                        "pidfd_send_signal", result, "pid=" + pid() + ": too many signals are pending (ulimit -i)");
            }
            return result == 0;
        } catch (SyscallException refused) {
            // Not by kill(2) then: the number may be that of another process at any time.
            throw refused.errno() == Errno.EPERM
                    ? Failure.about(
                            refused,
                            "pid=" + pid(),
                            "it belongs to another user, or the profile of a container hides the call")
                    : refused;
        }
    }

    /** Ends the watch; a second call does nothing. */
    // r[impl process.watch-close]
    void close() {
        try {
            synchronized (this) {
                if (state == State.WATCHED || state == State.LEFT) {
                    ClosedException why = new ClosedException(
                            "the watch of process " + pid() + " was closed before its end was seen");
                    state = State.CLOSED;
                    end.settle(null, why);
                }
                release();
            }
        } finally {
            end.callBack();
        }
    }

    @Override
    public synchronized String toString() {
        boolean hasEnded = state == State.ENDED || (state != State.CLOSED && hasEndedNow());
        return pid() + (hasEnded ? ", ended" : state == State.CLOSED ? ", closed" : "");
    }
}
