package dev.carillon.benchmarks.timers;

import dev.carillon.benchmarks.loops.TaskLoop;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;

/** Ours, set on the loop thread, as callbacks do it. */
final class CarillonTimers implements Clockwork<TimerHandle> {
    private final EventLoop loop = EventLoop.open().start();

    CarillonTimers(Stage stage) throws Exception {
        TaskLoop.runOn(loop, stage::pinFirst);
    }

    @Override
    public void run(Runnable body) throws Exception {
        TaskLoop.runOn(loop, body);
    }

    @Override
    public TimerHandle set(long delayNanos, Runnable task) {
        return loop.scheduleAt(loop.nanoTime() + delayNanos, task);
    }

    @Override
    public void cancel(TimerHandle timer) {
        timer.cancel();
    }

    @Override
    public void close() {
        loop.close();
    }
}
