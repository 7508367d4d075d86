package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.worker.Stage;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;

/** Netty's wheel, with ticks of a millisecond: coarser ones are cheaper still, and later by as much. */
final class WheelTimers implements Clockwork<Timeout> {
    private static final long TICK_MILLIS = 1;
    private static final int SPOKES = 4096;

    private final HashedWheelTimer wheel;

    WheelTimers(Stage stage) {
        wheel = new HashedWheelTimer(
                body -> new Thread(() -> {
                    stage.pinFirst();
                    body.run();
                }),
                TICK_MILLIS,
                TimeUnit.MILLISECONDS,
                SPOKES);
        wheel.start();
    }

    @Override
    public void run(Runnable body) {
        body.run();
    }

    @Override
    public Timeout set(long delayNanos, Runnable task) {
        return wheel.newTimeout(timeout -> task.run(), delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void cancel(Timeout timer) {
        timer.cancel();
    }

    @Override
    public void close() {
        wheel.stop();
    }
}
