package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a loop holds of timers that other threads have cancelled. */
abstract class CancelledTimerContract extends LoopCase {
    private static final Duration HOUR = Duration.ofHours(1);

    /** So many cancelled timers may not wait; a bound of a thousand would let them. */
    private static final int FAR_TOO_MANY = 500;

    // r[verify timer.cancelled-memory]
    @Test
    void aParkedLoopHoldsFewOfTheTasksThatAnotherThreadHasCancelled() {
        EventLoop loop = started();
        loop.schedule(HOUR, () -> {});
        on(loop, () -> true);
        awaitParked(loop);
        List<WeakReference<int[]>> held = new ArrayList<>();
        for (int i = 0; i < FAR_TOO_MANY; i++) {
            assertTrue(later(loop, held).cancel());
        }
        awaitFew(held);
    }

    // r[verify timer.cancelled-memory]
    @Test
    void aLoopThatNeverParksSweepsWhatAnotherThreadHasCancelled() {
        EventLoop loop = started();
        loop.execute(new Runnable() {
            @Override
            public void run() {
                if (!loop.isStopping()) {
                    loop.execute(this);
                }
            }
        });
        List<WeakReference<int[]>> held = new ArrayList<>();
        List<TimerHandle> timers = on(loop, () -> {
            loop.schedule(HOUR, () -> {});
            List<TimerHandle> set = new ArrayList<>();
            for (int i = 0; i < FAR_TOO_MANY; i++) {
                set.add(later(loop, held));
            }
            return set;
        });
        assertEquals("sorted in", on(loop, () -> "sorted in"));
        timers.forEach(TimerHandle::cancel);
        timers.clear();
        awaitFew(held);
    }

    /** A timer whose task can be told when it is garbage. */
    private static TimerHandle later(EventLoop loop, List<WeakReference<int[]>> held) {
        int[] captured = new int[1];
        held.add(new WeakReference<>(captured));
        return loop.schedule(HOUR.plusSeconds(1), () -> captured[0]++);
    }

    private static void awaitFew(List<WeakReference<int[]>> held) {
        Deadline.after(LIMIT).await("few of the tasks are held", () -> {
            System.gc();
            return held.stream().filter(task -> task.get() != null).count() < FAR_TOO_MANY / 3;
        });
    }
}
