package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the steps of a loop and of its posters in every order there is.
 *
 * <p>Each step is one access to shared memory or one system call, on the real {@link ParkState}; a schedule is repeated
 * from its beginning for each of its continuations, as nothing needs to be undone that way. What the orders of memory
 * accesses add to that is searched by {@link QueueRacesIT}.
 */
final class ParkStateTest {
    // r[verify loop.wakeup]
    @Test
    void inNoOrderOfStepsIsAWakeupLostOrWrittenTwicePerPark() {
        assertTrue(explore(1, 0, null) > 100);
        assertTrue(explore(2, 0, null) > 1_000);
        assertTrue(explore(3, 0, null) > 10_000);
    }

    // r[verify loop.wakeup] r[verify timer.heap]
    @Test
    void inNoOrderOfStepsIsATimerMissedThatIsDueBeforeTheLoopWakes() {
        assertTrue(explore(0, 1, null) > 100);
        assertTrue(explore(0, 2, null) > 1_000);
        assertTrue(explore(1, 1, null) > 1_000);
    }

    // r[verify loop.wakeup]
    @Test
    void aWriteThatHasFailedIsMadeByTheNextPoster() {
        ParkState park = new ParkState();
        park.announce();
        assertTrue(park.commit());
        assertTrue(park.mustWrite());
        assertFalse(park.mustWrite(), "somebody writes already");
        park.notWritten();
        assertTrue(park.mustWrite());
        park.resume();
        park.notWritten();
        assertFalse(park.mustWrite(), "the loop runs");
    }

    /** A search that finds none of these would find nothing. */
    @ParameterizedTest
    @EnumSource(ParkMistake.class)
    void aPlantedMistakeIsFound(ParkMistake mistake) {
        AssertionError found = assertThrows(AssertionError.class, () -> {
            explore(2, 0, mistake);
            explore(0, 2, mistake);
        });
        assertTrue(String.valueOf(found.getMessage()).contains(mistake.leadsTo), found::toString);
    }

    /** Returns how many states of the world there were. */
    private static int explore(int posters, int timerPosters, @Nullable ParkMistake mistake) {
        List<List<Integer>> unfinished = new ArrayList<>(List.of(List.of()));
        Set<String> seen = new HashSet<>();
        while (!unfinished.isEmpty()) {
            List<Integer> schedule = unfinished.remove(unfinished.size() - 1);
            ParkWorld world = new ParkWorld(posters, timerPosters, mistake);
            schedule.forEach(world::step);
            if (!seen.add(world.toString())) {
                continue;
            }
            List<Integer> enabled = world.enabled();
            if (enabled.isEmpty()) {
                world.verify(schedule);
            }
            for (int actor : enabled) {
                List<Integer> longer = new ArrayList<>(schedule);
                longer.add(actor);
                unfinished.add(longer);
            }
        }
        return seen.size();
    }
}
