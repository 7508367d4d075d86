package dev.carillon.benchmarks.exit;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Loops on daemon threads that sleep in the kernel. */
final class ParkedLoops {
    private static final int LOOPS = 3;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private ParkedLoops() {}

    static void start() {
        List<EventLoop> loops = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            EventLoopOptions options = EventLoopOptions.builder().daemon(true).build();
            loops.add(EventLoop.open(options).start());
        }
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (loops.stream().anyMatch(loop -> loop.stats().parks() == 0)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the loops did not go to sleep: " + loops);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
