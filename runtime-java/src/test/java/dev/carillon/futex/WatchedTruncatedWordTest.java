package dev.carillon.futex;

final class WatchedTruncatedWordTest extends TruncatedWordContract {
    @Override
    WordSleep sleep() {
        return WatchedSleep.all();
    }

    @Override
    boolean isAsleep(Thread thread) {
        return thread.getState() == Thread.State.WAITING;
    }
}
