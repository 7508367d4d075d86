package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Parked waits where memory is short, in a VM of its own. */
final class WatchMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify futex.watcher]
    @Test
    void aChangeByAnotherProcessIsSeenAfterMemoryWasShort() {
        ChildExit exit = ChildJvm.of(Full.class)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-Xint")
                .run(LIMIT);
        assertEquals(List.of("WOKEN", "WOKEN"), exit.stdout(), exit::toString);
    }

    static final class Full {
        private static final Object[] TAKEN = new Object[400_000];
        private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

        private static volatile @Nullable Thread watcher;

        public static void main(String[] args) throws Exception {
            WatchedSleep sleep = new WatchedSleep(look -> {
                Thread thread = new Thread(look, "watches");
                watcher = thread;
                return thread;
            });
            try (MemoryRegion region = MemoryRegion.memfd("words", FutexContract.PAGE)) {
                FutexWord word = new FutexWord(region, 0, sleep);
                // All that is needed was needed before, except for memory.
                System.out.println(changed(word, 0, false));
                System.out.println(changed(word, 1, true));
                // Before the region is closed, which waits for those who wait on it.
                System.exit(0);
            }
        }

        /** Nobody wakes, as if another process had changed the word. */
        private static String changed(FutexWord word, int value, boolean withoutMemory) throws Exception {
            Waiting waiting = new Waiting(() -> word.await(value, Long.MAX_VALUE));
            Deadline.after(LIMIT).await("it sleeps", () -> waiting.thread.getState() == Thread.State.WAITING);
            Thread looks = Objects.requireNonNull(watcher);
            if (withoutMemory) {
                Ballast.fill(TAKEN);
                long end = System.nanoTime() + SHORT_NANOS;
                while (looks.isAlive() && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                Arrays.fill(TAKEN, null);
            }
            word.putRelease(value + 1);
            try {
                return waiting.task.get(30, TimeUnit.SECONDS).toString();
            } catch (java.util.concurrent.TimeoutException late) {
                return "never told";
            }
        }
    }
}
