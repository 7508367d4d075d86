package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.EPOLLERR;
import static dev.carillon.sys.layout.Constants.EPOLLHUP;
import static dev.carillon.sys.layout.Constants.EPOLLOUT;

import dev.carillon.SyscallException;
import dev.carillon.loop.OperationCalls.Outcome;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations on epoll: each is tried at once, and again when its descriptor becomes ready.
 *
 * <p><b>See:</b> epoll(7).
 */
final class EpollBackend extends IoBackend {
    /** The data of the eventfd; a slot's data is not negative. */
    private static final long WAKE = -1;

    private static final int OUTPUT = EPOLLOUT | EPOLLHUP | EPOLLERR;

    private final PollingLoop loop;
    private final Epoll epoll;
    private final EpollInterest interest;
    private final WakeBell bell;
    private final OperationCalls calls;
    private final EpollSlots slots = new EpollSlots();
    private final RingQueue<EpollSlot> deferred = new RingQueue<>();
    private final OperationDeliveries deliveries;
    private final OperationTimers timers;
    private long iteration;
    private long pending;

    /** The next event to be taken in, and how many the last poll brought: none comes again, so where memory is short in
     * between, the rest is taken in before the kernel is asked for more. */
    private int event;

    private int events;

    EpollBackend(PollingLoop loop, Sys sys) {
        this.loop = loop;
        // Memory first: where it is short, there is no descriptor yet that would be left open.
        calls = new OperationCalls(loop, sys);
        deliveries = new OperationDeliveries(loop);
        timers = new OperationTimers(loop, this);
        epoll = sys.epoll(loop.options().events());
        bell = WakeBell.on(epoll, sys, WAKE);
        interest = new EpollInterest(loop, epoll, sys);
    }

    @Override
    BackendKind kind() {
        return BackendKind.EPOLL;
    }

    // r[impl loop.poll] r[impl io.edge-triggered]
    @Override
    void poll(long timeoutNanos) {
        iteration++;
        calls.renew();
        if (event == events) {
            event = 0;
            events = 0;
            events = epoll.await(timeoutNanos);
        }
        // Before what has only just become ready: where there is more than one iteration may do, all have their turn.
        driveDeferred();
        while (event < events) {
            int index = event++;
            long data = epoll.data(index);
            if (data != WAKE) {
                ready(data, epoll.events(index));
            }
        }
    }

    private void driveDeferred() {
        for (int left = deferred.size(); left > 0; left--) {
            EpollSlot slot = deferred.poll();
            if (slot != null && slot.isDeferred) {
                slot.isDeferred = false;
                again(slot);
            }
        }
    }

    // r[impl io.stale-events]
    private void ready(long data, int events) {
        EpollSlot slot = slots.find(data);
        if (slot == null) {
            return;
        }
        try {
            ready(slot, events);
        } catch (OutOfMemoryError memoryIsShort) {
            tell(slot, memoryIsShort);
        }
    }

    /** An event will not come again: who waited for it is told, and a watch is called in the next iteration. */
    private void tell(EpollSlot slot, OutOfMemoryError memoryIsShort) {
        failAll(slot, memoryIsShort);
        defer(slot);
    }

    private void ready(EpollSlot slot, int events) {
        slot.onEvent(events);
        if (slot.watch != null) {
            slot.watch.ready();
        } else if (slot.isIdle()) {
            interest.unclaimed(slot);
        } else {
            if ((events & EpollSlot.INPUT) != 0) {
                drive(slot, true);
            }
            if ((events & OUTPUT) != 0) {
                drive(slot, false);
            }
        }
    }

    @Override
    void wake() {
        bell.ring();
    }

    // r[impl io.try-first] r[impl io.told]
    @Override
    void start(Operation operation) {
        try {
            Handle handle = operation.target();
            if (handle.isOpen() && !loop.isEnding()) {
                start(operation, slotOf(handle));
            } else {
                refuse(
                        operation,
                        handle.closedBecause(handle.isOpen() ? loop + " ends" : "it was used after it was closed"));
            }
        } catch (OutOfMemoryError memoryIsShort) {
            if (operation.isWaiting()) {
                cancel(operation, memoryIsShort);
            } else if (!operation.isDelivering()) {
                refuse(operation, memoryIsShort);
            }
        }
    }

    private void start(Operation operation, EpollSlot slot) {
        OperationList list = slot.list(operation.kind.input);
        boolean first = list.isEmpty();
        // In the list before anything can fail: whatever is there is told when the loop ends.
        pending++;
        operation.waiting();
        list.add(operation);
        timers.started(operation);
        if (first && slot.mayComplete(iteration)) {
            drive(slot, operation.kind.input);
        } else if (first) {
            defer(slot);
        }
    }

    /** Never fails: there is a place for each slot. */
    private void defer(EpollSlot slot) {
        if (!slot.isDeferred) {
            deferred.add(slot);
            slot.isDeferred = true;
        }
    }

    private void again(EpollSlot slot) {
        try {
            if (slot.watch != null) {
                slot.watch.ready();
            } else {
                drive(slot, true);
                drive(slot, false);
            }
        } catch (OutOfMemoryError memoryIsShort) {
            tell(slot, memoryIsShort);
        }
    }

    /** After a pause. */
    void resume(EpollSlot slot, boolean input) {
        try {
            drive(slot, input);
        } catch (OutOfMemoryError memoryIsShort) {
            tell(slot, memoryIsShort);
        }
    }

    /** Tries what waits, the oldest first, until the kernel says EAGAIN, or enough was moved in this iteration. */
    private void drive(EpollSlot slot, boolean input) {
        OperationList list = slot.list(input);
        Operation operation;
        while (!slot.isPaused(input) && (operation = list.first()) != null) {
            switch (slot.isFutile(operation) ? Outcome.AGAIN : calls.attempt(operation, operation.target())) {
                case DONE -> finish(slot, operation);
                case DRAINED -> {
                    slot.onDrained();
                    finish(slot, operation);
                }
                case AGAIN -> {
                    await(slot, input);
                    return;
                }
                case MORE -> {
                    defer(slot);
                    return;
                }
                case LATER -> timers.pause(slot, operation);
            }
        }
    }

    private void await(EpollSlot slot, boolean input) {
        try {
            if (!interest.await(slot, input)) {
                defer(slot);
            }
        } catch (SyscallException | OutOfMemoryError failure) {
            failAll(slot, failure);
        }
    }

    private void finish(EpollSlot slot, Operation operation) {
        boolean input = operation.kind.input;
        slot.list(input).remove(operation);
        timers.finished(slot, operation);
        pending--;
        Handle handle = operation.target();
        deliveries.deliver(operation);
        if (handle.isBorrowed()) {
            // That was its only operation.
            handle.registration = null;
            timers.stop(slot, input);
            forget(slot);
        }
    }

    @Override
    void refuse(Operation operation, Throwable cause) {
        operation.fail(cause);
        deliveries.deliver(operation);
    }

    // r[impl io.cancel]
    @Override
    void cancel(Operation operation, Throwable cause) {
        if (!operation.isWaiting()) {
            return;
        }
        EpollSlot slot = slotOf(operation.target());
        boolean input = operation.kind.input;
        boolean head = slot.list(input).first() == operation;
        operation.fail(cause);
        finish(slot, operation);
        if (head && slot.isPaused(input)) {
            timers.stop(slot, input);
            defer(slot);
        }
        if (slot.list(input).isEmpty()) {
            interest.withdraw(slot, input);
        }
    }

    @Override
    void retry(Handle handle) {
        if (handle.registration instanceof EpollSlot slot) {
            defer(slot);
        }
    }

    @Override
    void release(Handle handle, Throwable cause) {
        if (handle.registration instanceof EpollSlot slot) {
            handle.registration = null;
            failAll(slot, cause);
            forget(slot);
        }
    }

    private void failAll(EpollSlot slot, Throwable cause) {
        failAll(slot, true, cause);
        failAll(slot, false, cause);
    }

    private void failAll(EpollSlot slot, boolean input, Throwable cause) {
        Operation operation;
        while ((operation = slot.list(input).first()) != null) {
            operation.fail(cause);
            finish(slot, operation);
        }
        timers.stop(slot, input);
    }

    private void forget(EpollSlot slot) {
        slot.isDeferred = false;
        try {
            interest.forget(slot);
        } finally {
            slots.free(slot);
        }
    }

    @Override
    void watch(WatchHandle watch) {
        EpollSlot slot = allocate(watch.number(), watch);
        try {
            if (!interest.await(slot, true)) {
                watch.ready();
            }
        } catch (RuntimeException | Error failure) {
            forget(slot);
            throw failure;
        }
        watch.registration = slot;
    }

    @Override
    void again(WatchHandle watch) {
        if (watch.registration instanceof EpollSlot slot) {
            defer(slot);
        }
    }

    @Override
    void unwatch(WatchHandle watch) {
        if (watch.registration instanceof EpollSlot slot) {
            watch.registration = null;
            forget(slot);
        }
    }

    private EpollSlot slotOf(Handle handle) {
        if (handle.registration instanceof EpollSlot known) {
            return known;
        }
        EpollSlot slot = allocate(handle.number(), null);
        slot.handle = handle;
        handle.registration = slot;
        return slot;
    }

    private EpollSlot allocate(int number, @Nullable WatchHandle watch) {
        EpollSlot slot = slots.allocate(number, watch);
        try {
            deferred.reserve(slots.highest());
        } catch (OutOfMemoryError memoryIsShort) {
            slots.free(slot);
            throw memoryIsShort;
        }
        return slot;
    }

    @Override
    long pending() {
        return pending;
    }

    @Override
    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    @Override
    void failAll(Throwable cause) {
        slots.forEach(slot -> {
            failAll(slot, cause);
            if (slot.watch != null) {
                slot.watch.loopEnds();
            }
        });
    }

    @Override
    Map<String, Long> completed() {
        return deliveries.byKind();
    }

    @Override
    public void close() {
        epoll.close();
        slots.forEach(interest::closeCopy);
        bell.close();
        calls.close();
    }
}
