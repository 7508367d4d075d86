package dev.carillon.timer;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The JDK's own executor: where it fails, the contract is wrong. */
final class ThreadPoolReferenceTest extends ScheduledExecutorContract {
    private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

    @Override
    protected ScheduledExecutorService executor() {
        return pool;
    }
}
