package dev.carillon.loop;

import dev.carillon.loop.queue.TimerHeap;
import java.util.concurrent.TimeUnit;

/**
 * Operations that wait for time: those with a deadline, and those that epoll cannot wait for.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class OperationTimers {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    /** For a place in the queue of another socket. */
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    /** For a descriptor to accept with. */
    private static final long LONGEST_ACCEPT_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final PollingLoop loop;
    private final EpollBackend backend;

    OperationTimers(PollingLoop loop, EpollBackend backend) {
        this.loop = loop;
        this.backend = backend;
    }

    void started(Operation operation) {
        if (operation.deadline != TimerHeap.NEVER) {
            LoopTimer expiry = new Expiry(operation);
            operation.expiry = expiry;
            loop.timers().rearm(expiry, operation.deadline);
        }
    }

    /** One operation of that side is done, whatever came of it. */
    void finished(EpollSlot slot, Operation operation) {
        EpollSlot.Pause pause = slot.pause(operation.kind.input);
        if (pause != null) {
            pause.reset();
        }
        LoopTimer expiry = operation.expiry;
        if (expiry != null) {
            operation.expiry = null;
            cancel(expiry);
        }
    }

    /** Tries the side of that operation again after a pause, longer each time. */
    void pause(EpollSlot slot, Operation operation) {
        boolean input = operation.kind.input;
        EpollSlot.Pause pause = slot.pause(input);
        if (pause == null) {
            pause = new Resumption(slot, input);
            slot.pauseWith(input, pause);
        }
        long longest = operation.kind == Operation.Kind.ACCEPT ? LONGEST_ACCEPT_PAUSE : LONGEST_PAUSE;
        loop.timers().rearm(pause, loop.nanoTime() + pause.next(SHORTEST_PAUSE, longest));
    }

    void stop(EpollSlot slot, boolean input) {
        EpollSlot.Pause pause = slot.pause(input);
        if (pause != null) {
            cancel(pause);
        }
    }

    private void cancel(LoopTimer timer) {
        if (timer.tryCancel()) {
            loop.timers().cancelled();
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
        void onDue() {
            backend.resume(slot, input);
        }
    }

    private final class Expiry extends LoopTimer {
        private final Operation operation;

        Expiry(Operation operation) {
            this.operation = operation;
        }

        @Override
        void onDue() {
            if (operation.expiry == this) {
                backend.cancel(operation, timeout());
            }
        }

        /** It ends in any case. */
        private Throwable timeout() {
            try {
                return SocketFailures.connectTimeout(operation.address);
            } catch (OutOfMemoryError memoryIsShort) {
                return memoryIsShort;
            }
        }
    }
}
