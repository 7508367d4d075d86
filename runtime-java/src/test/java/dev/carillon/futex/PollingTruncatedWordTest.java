package dev.carillon.futex;

final class PollingTruncatedWordTest extends TruncatedWordContract {
    @Override
    WordSleep sleep() {
        return new PollingSleep();
    }

    @Override
    boolean isAsleep(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING;
    }
}
