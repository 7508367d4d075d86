package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import dev.carillon.process.Child;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The time between the hang-up of a peer's bell and the end of its process, which mostly are one event. A process that has only
 * lost its bell runs on, and may still do what it was started for; so nobody is told that it is dead before it is gone. A child
 * of this process could not be woken any more, nor told to end: it is killed.
 */
final class Quarantine {
    /** For a child that is about to end by itself, with a code that says more than SIGKILL. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private Quarantine() {}

    /**
     * Waits for the end.
     *
     * @param ended of the process; it may fail, where that cannot be watched any longer
     * @param child the same process, if it is to be killed
     * @param gone what to do then, on any thread
     */
    // r[impl shm.death]
    static void begin(CompletableFuture<?> ended, @Nullable Child child, Runnable gone) {
        TimerHandle killer = child == null ? null : killLater(child);
        var unused = ended.whenComplete((nothing, why) -> {
            if (killer != null) {
                killer.cancel();
            }
            gone.run();
        });
    }

    private static @Nullable TimerHandle killLater(Child child) {
        try {
            return EventLoop.shared().schedule(PATIENCE, child::kill);
        } catch (RejectedExecutionException ends) {
            child.kill();
            return null;
        }
    }
}
