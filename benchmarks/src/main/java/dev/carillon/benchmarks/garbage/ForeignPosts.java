package dev.carillon.benchmarks.garbage;

import dev.carillon.loop.EventLoop;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Posts of JMH's thread to a loop on another one; JMH counts what both leave. */
@State(Scope.Thread)
public class ForeignPosts {
    /** Waiting for each single one would measure the waiting; not waiting at all would make the queue grow. */
    private static final int AT_ONCE = 256;

    private static final long PAUSE_NANOS = 1000;

    private final EventLoop loop = EventLoop.open().start();
    private final Runnable task = this::count;
    private long posted;
    private long ran;
    private volatile long told;

    private void count() {
        if (++ran % AT_ONCE == 0) {
            told = ran;
        }
    }

    /** Posts some and waits until they have run. */
    @Benchmark
    @OperationsPerInvocation(AT_ONCE)
    public long post() {
        for (int i = 0; i < AT_ONCE; i++) {
            loop.execute(task);
        }
        posted += AT_ONCE;
        while (told < posted) {
            // Both threads are on one core: who spins keeps the loop from running.
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return posted;
    }

    /** Ends the loop. */
    @TearDown
    public void close() {
        loop.close();
    }
}
