package dev.carillon.futex;

/** Polling, as where there are no futexes. */
// r[verify futex.fallback]
final class PollingFutexTest extends FutexContract {
    @Override
    WordSleep sleep() {
        return new PollingSleep();
    }

    @Override
    boolean isAsleep(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING;
    }
}
