package dev.carillon.benchmarks.loops;

import dev.carillon.loop.EventLoop;

/** Ours, with default options. */
public final class CarillonLoop implements TaskLoop {
    private final EventLoop loop = EventLoop.open().start();

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public void close() {
        loop.close();
    }
}
