package dev.carillon.io.epoll;

import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import java.util.concurrent.TimeUnit;

/**
 * The timers of operations: of those with a deadline, and of those that epoll cannot wait for.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class OperationTimers {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    /** The longest pause of a wait for room in the queue of another socket. */
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    /** The longest pause of a wait for a descriptor to accept with. */
    private static final long LONGEST_ACCEPT_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final PolledLoop loop;
    private final EpollBackend backend;

    OperationTimers(PolledLoop loop, EpollBackend backend) {
        this.loop = loop;
        this.backend = backend;
    }

    void started(Request request) {
        if (request.deadline != TimerHeap.NEVER) {
            loop.arm(expiryOf(request), request.deadline);
        }
    }

    /** One for all its starts here, so that a start leaves no garbage. */
    private TimerNode expiryOf(Request request) {
        if (request.expiry instanceof Expiry known && known.isOf(this)) {
            return known;
        }
        Expiry made = new Expiry(request);
        request.expiry = made;
        return made;
    }

    /** An operation of that side is done, with or without success. */
    void finished(EpollSlot slot, Request request) {
        EpollSlot.Pause pause = slot.pause(request.kind.input);
        if (pause != null) {
            pause.reset();
        }
        TimerNode expiry = request.expiry;
        if (expiry != null) {
            loop.disarm(expiry);
        }
    }

    /** Tries the side of that operation again after a pause, longer each time. */
    void pause(EpollSlot slot, Request request) {
        boolean input = request.kind.input;
        EpollSlot.Pause pause = slot.pause(input);
        if (pause == null) {
            pause = new Resumption(slot, input);
            slot.pauseWith(input, pause);
        }
        long longest = request.kind == Request.Kind.ACCEPT ? LONGEST_ACCEPT_PAUSE : LONGEST_PAUSE;
        loop.arm(pause, loop.nanoTime() + pause.next(SHORTEST_PAUSE, longest));
    }

    void stop(EpollSlot slot, boolean input) {
        EpollSlot.Pause pause = slot.pause(input);
        if (pause != null) {
            loop.disarm(pause);
        }
    }

    private final class Resumption extends EpollSlot.Pause {
        private final EpollSlot slot;
        private final boolean input;

        Resumption(EpollSlot slot, boolean input) {
            this.slot = slot;
            this.input = input;
        }

        @Override
        public void run() {
            backend.resume(slot, input);
        }
    }

    private final class Expiry extends TimerNode {
        private final Request request;

        Expiry(Request request) {
            this.request = request;
        }

        boolean isOf(OperationTimers timers) {
            return timers == OperationTimers.this;
        }

        /** Ends the start that it was set for. If that is done, and the operation was started anew, it is set anew, or has no time. */
        @Override
        public void run() {
            if (isMeant()) {
                // What came in time is there, though the loop was busy elsewhere and has not looked yet.
                backend.tryAgain(request);
            }
            if (isMeant()) {
                backend.cancel(request, timeout());
            }
        }

        private boolean isMeant() {
            return request.expiry == this && !isArmed() && request.deadline != TimerHeap.NEVER && request.isWaiting();
        }

        /** The cause of the end; where memory is short for it, that error. */
        private Throwable timeout() {
            try {
                return SocketFailures.timeout(request);
            } catch (OutOfMemoryError memoryIsShort) {
                return memoryIsShort;
            }
        }
    }
}
