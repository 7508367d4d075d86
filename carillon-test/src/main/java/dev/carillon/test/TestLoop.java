package dev.carillon.test;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An event loop on the thread of a test, with a clock that stands still until the test moves it. So a timer of an hour is tested at
 * once, and at the right moment to the nanosecond. Sockets and signals of the loop work as usual; they come in {@link #run}.
 *
 * <p>What a callback throws fails the next call of {@link #run}, {@link #advanceBy} or {@link #close}.
 *
 * <p><b>Threading:</b> the thread of the test. Other threads may post to the loop.
 */
public final class TestLoop implements AutoCloseable {
    /** Any time will do. */
    private static final long START = 1;

    private final AtomicLong clock = new AtomicLong(START);
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final EventLoop loop;

    private TestLoop() {
        loop = EventLoop.open(EventLoopOptions.builder()
                .name("test-loop")
                .clock(clock::get)
                .errorHandler((failing, error) -> thrown.add(error))
                .build());
    }

    /** A loop that has run nothing yet. */
    public static TestLoop open() {
        return new TestLoop();
    }

    /** The loop itself, to be given to what is tested. */
    public EventLoop loop() {
        return loop;
    }

    /** How far the clock was moved. */
    public Duration elapsed() {
        return Duration.ofNanos(clock.get() - START);
    }

    /** Runs what is ready, and does not wait. */
    public void run() {
        loop.runUntilEmpty();
        failIfThrown();
    }

    /**
     * Moves the clock, and runs what becomes due meanwhile: each timer at its own time, also timers that callbacks set.
     *
     * @param time not negative
     */
    public void advanceBy(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time=" + time + ": a clock of timers does not go back");
        }
        long end = Math.addExact(clock.get(), time.toNanos());
        run();
        OptionalLong next = loop.nextTimer();
        while (next.isPresent() && next.getAsLong() <= end) {
            clock.set(Math.max(clock.get(), next.getAsLong()));
            run();
            next = loop.nextTimer();
        }
        clock.set(end);
    }

    private void failIfThrown() {
        Throwable first = thrown.poll();
        if (first == null) {
            return;
        }
        AssertionError failure = new AssertionError("a callback of the loop has thrown", first);
        thrown.forEach(failure::addSuppressed);
        thrown.clear();
        throw failure;
    }

    /** Closes the loop: what waits is cancelled. */
    @Override
    public void close() {
        loop.close();
        failIfThrown();
    }
}
