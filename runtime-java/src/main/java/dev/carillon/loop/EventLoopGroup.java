package dev.carillon.loop;

import dev.carillon.ClosedException;
import dev.carillon.SignalSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Some loops, each on a thread of its own.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> closing the group closes its loops.
 */
public final class EventLoopGroup implements AutoCloseable {
    private final List<EventLoop> loops;
    private final AtomicInteger next = new AtomicInteger();

    private EventLoopGroup(List<EventLoop> loops) {
        this.loops = List.copyOf(loops);
    }

    /** Starts n loops. */
    public static EventLoopGroup start(int n) {
        return start(n, EventLoopOptions.defaults());
    }

    /** Starts n loops whose threads block these signals from their first moment on. */
    public static EventLoopGroup start(int n, SignalSet mask) {
        return start(n, EventLoopOptions.builder().mask(mask).build());
    }

    /** Starts n loops; their names get a number each. */
    public static EventLoopGroup start(int n, EventLoopOptions options) {
        if (n < 1) {
            throw new IllegalArgumentException("n=" + n + ": at least one loop");
        }
        List<EventLoop> loops = new ArrayList<>(n);
        try {
            for (int i = 0; i < n; i++) {
                EventLoop loop = EventLoop.open(
                        options.toBuilder().name(options.name() + "-" + i).build());
                loops.add(loop);
                loop.start();
            }
        } catch (RuntimeException | Error failure) {
            loops.forEach(EventLoop::close);
            throw failure;
        }
        return new EventLoopGroup(loops);
    }

    /**
     * One loop after the other, without those that have ended.
     *
     * @throws IllegalStateException if the group is closed, or all its loops have ended: a ClosedException
     */
    // r[impl loop.group]
    public EventLoop next() {
        for (int tries = loops.size(); tries > 0; tries--) {
            EventLoop loop = loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
            if (!loop.isStopping()) {
                return loop;
            }
        }
        throw new ClosedException("EventLoopGroup[" + loops.size() + " loops]: next() was called, and all of them are"
                + " closed; start another group");
    }

    /** The i-th, from 0. */
    public EventLoop get(int i) {
        return loops.get(i);
    }

    /** How many there are. */
    public int size() {
        return loops.size();
    }

    /** Stops all, then waits for each; on a loop thread it does not wait. */
    @Override
    public void close() {
        loops.forEach(EventLoop::requestStop);
        loops.forEach(EventLoop::close);
    }
}
