package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.EPOLLERR;
import static dev.carillon.sys.layout.Constants.EPOLLHUP;
import static dev.carillon.sys.layout.Constants.EPOLLOUT;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.Backend;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.WatchedDescriptor;
import dev.carillon.loop.queue.Chain;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.sys.call.Epoll;
import dev.carillon.sys.call.Sys;
import org.jspecify.annotations.Nullable;

/**
 * Does operations with epoll: it tries each at once, and again when its descriptor becomes ready.
 *
 * <p><b>See:</b> epoll(7).
 */
final class EpollBackend extends Backend {
    /** The data of the eventfd; a slot's data is not negative. */
    private static final long WAKE = -1;

    private static final int OUTPUT = EPOLLOUT | EPOLLHUP | EPOLLERR;

    private final PolledLoop loop;
    private final Epoll epoll;
    private final EpollInterest interest;
    private final WakeBell bell;
    private final OperationCalls calls;
    private final EpollSlots slots = new EpollSlots();
    private final RingQueue<EpollSlot> deferred = new RingQueue<>();
    private final OperationTimers timers;
    private long iteration;
    private long pending;

    /**
     * The next event to take in, and how many the last poll brought. None comes again. So where memory is short in between,
     * the backend takes in the rest before it asks the kernel for more.
     */
    private int event;

    private int events;

    EpollBackend(PolledLoop loop, Sys sys) {
        super(loop);
        this.loop = loop;
        // Memory first: where it is short, no descriptor is left open.
        calls = new OperationCalls(loop, sys);
        timers = new OperationTimers(loop, this);
        epoll = sys.epoll(loop.events());
        bell = WakeBell.on(epoll, sys, WAKE);
        interest = new EpollInterest(loop, epoll, sys);
    }

    // r[impl loop.poll] r[impl io.edge-triggered]
    @Override
    public void poll(long timeoutNanos) {
        iteration++;
        calls.renew();
        if (event == events) {
            event = 0;
            events = 0;
            events = epoll.await(timeoutNanos);
        }
        // Before what has become ready only now: where there is more than one iteration may do, all have their turn.
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

    /**
     * Memory was short for an event, which will not come again. Fails the operations that wait for it; a watch is called in
     * the next iteration.
     */
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
    public void wake() {
        bell.ring();
    }

    // r[impl io.try-first] r[impl io.told]
    @Override
    public void start(Request request) {
        try {
            Target target = request.target();
            if (target.isOpen() && !loop.isEnding()) {
                start(request, slotOf(target));
            } else {
                refuse(request, closed(target));
            }
        } catch (OutOfMemoryError memoryIsShort) {
            if (request.isWaiting()) {
                cancel(request, memoryIsShort);
            } else if (!request.isDelivering()) {
                refuse(request, memoryIsShort);
            }
        }
    }

    private ClosedException closed(Target target) {
        return new ClosedException(
                target + ": " + (target.isOpen() ? loop + " ends" : "it was used after it was closed"));
    }

    private void start(Request request, EpollSlot slot) {
        Chain<Request> list = slot.list(request.kind.input);
        boolean first = list.isEmpty();
        // In the list before anything can fail: the end of the loop fails whatever is there.
        pending++;
        request.waiting();
        list.add(request);
        timers.started(request);
        if (first && slot.mayComplete(iteration)) {
            drive(slot, request.kind.input);
        } else if (first) {
            defer(slot);
        }
    }

    /** Never fails: the queue has a place for each slot. */
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

    /** Tries the side of an operation that waits, whatever is known of it. */
    void tryAgain(Request request) {
        EpollSlot slot = slotOf(request.target());
        slot.mayHaveMore();
        resume(slot, request.kind.input);
    }

    /** Tries one side again after a pause. */
    void resume(EpollSlot slot, boolean input) {
        try {
            drive(slot, input);
        } catch (OutOfMemoryError memoryIsShort) {
            tell(slot, memoryIsShort);
        }
    }

    /** Tries what waits, the oldest first, until the kernel says EAGAIN, or this iteration has moved enough. */
    private void drive(EpollSlot slot, boolean input) {
        Chain<Request> list = slot.list(input);
        Request request;
        while (!slot.isPaused(input) && (request = list.first()) != null) {
            switch (slot.attempt(request, calls)) {
                case DONE -> finish(slot, request);
                case DRAINED -> {
                    slot.onDrained();
                    finish(slot, request);
                }
                case AGAIN -> {
                    await(slot, input);
                    return;
                }
                case MORE -> {
                    defer(slot);
                    return;
                }
                case LATER -> timers.pause(slot, request);
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

    private void finish(EpollSlot slot, Request request) {
        boolean input = request.kind.input;
        slot.list(input).remove(request);
        timers.finished(slot, request);
        pending--;
        Target target = request.target();
        deliver(request);
        if (target.kind.isTransient()) {
            // That was the only operation of this target.
            target.registration = null;
            timers.stop(slot, input);
            forget(slot);
        }
    }

    // r[impl io.cancel]
    @Override
    public void cancel(Request request, Throwable cause) {
        if (!request.isWaiting()) {
            return;
        }
        EpollSlot slot = slotOf(request.target());
        boolean input = request.kind.input;
        boolean head = slot.list(input).first() == request;
        request.fail(cause);
        finish(slot, request);
        if (head && slot.isPaused(input)) {
            timers.stop(slot, input);
            defer(slot);
        }
        if (slot.list(input).isEmpty()) {
            interest.withdraw(slot, input);
        }
    }

    @Override
    public void retry(Target target) {
        if (target.registration instanceof EpollSlot slot) {
            defer(slot);
        }
    }

    @Override
    public void release(Target target, Throwable cause) {
        if (target.registration instanceof EpollSlot slot) {
            target.registration = null;
            failAll(slot, cause);
            forget(slot);
        }
    }

    private void failAll(EpollSlot slot, Throwable cause) {
        failAll(slot, true, cause);
        failAll(slot, false, cause);
    }

    private void failAll(EpollSlot slot, boolean input, Throwable cause) {
        Request request;
        while ((request = slot.list(input).first()) != null) {
            request.fail(cause);
            finish(slot, request);
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
    public void watch(WatchedDescriptor watch) {
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
    public void again(WatchedDescriptor watch) {
        if (watch.registration instanceof EpollSlot slot) {
            defer(slot);
        }
    }

    @Override
    public void unwatch(WatchedDescriptor watch) {
        if (watch.registration instanceof EpollSlot slot) {
            watch.registration = null;
            forget(slot);
        }
    }

    private EpollSlot slotOf(Target target) {
        if (target.registration instanceof EpollSlot known) {
            return known;
        }
        EpollSlot slot = allocate(target.number, null);
        slot.target = target;
        target.registration = slot;
        return slot;
    }

    private EpollSlot allocate(int number, @Nullable WatchedDescriptor watch) {
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
    public long pending() {
        return pending;
    }

    @Override
    public boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    @Override
    public void failAll(Throwable cause) {
        slots.forEach(slot -> {
            failAll(slot, cause);
            if (slot.watch != null) {
                slot.watch.loopEnds();
            }
        });
    }

    @Override
    public void close() {
        epoll.close();
        slots.forEach(interest::closeCopy);
        bell.close();
        calls.close();
    }
}
