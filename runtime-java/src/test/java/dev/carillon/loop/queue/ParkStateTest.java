package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Runs the steps of a loop and of its posters in every order there is.
 *
 * <p>Each step is one access to shared memory or one system call, on the real {@link ParkState}; a schedule is repeated
 * from its beginning for each of its continuations, as nothing needs to be undone that way.
 */
final class ParkStateTest {
    private static final int POSTS = 2;
    private static final int PARKS = 2;

    // r[verify loop.wakeup]
    @Test
    void inNoOrderOfStepsIsAWakeupLostOrWrittenTwicePerPark() {
        assertTrue(explore(1, true) > 100);
        assertTrue(explore(2, true) > 1_000);
        assertTrue(explore(3, true) > 10_000);
    }

    @Test
    void withoutTheSecondLookAtTheQueueAWakeupWouldBeLost() {
        AssertionError failure = null;
        try {
            explore(1, false);
        } catch (AssertionError expected) {
            failure = expected;
        }
        assertTrue(failure != null && failure.toString().contains("lost"), "the explorer finds nothing");
    }

    /** Returns how many states of the world there were. */
    private static int explore(int posters, boolean looksAgain) {
        List<List<Integer>> unfinished = new ArrayList<>(List.of(List.of()));
        Set<String> seen = new HashSet<>();
        while (!unfinished.isEmpty()) {
            List<Integer> schedule = unfinished.remove(unfinished.size() - 1);
            World world = new World(posters, looksAgain);
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

    /** One loop (actor 0), some posters, a queue that is but a counter, and an edge-triggered eventfd. */
    private static final class World {
        private static final int DRAIN = 0;
        private static final int ANNOUNCE = 1;
        private static final int LOOK = 2;
        private static final int COMMIT = 3;
        private static final int BLOCKED = 4;
        private static final int RESUME = 5;
        private static final int END = 6;

        private final ParkState park = new ParkState();
        private final boolean looksAgain;
        private final int[] posterAt;
        private final int[] posterSaw;
        private final int[] posted;
        private int queued;
        private boolean edge;
        private int writes;
        private int parks;
        private int loopAt;
        private boolean emptyHanded;

        World(int posters, boolean looksAgain) {
            this.looksAgain = looksAgain;
            posterAt = new int[posters];
            posterSaw = new int[posters];
            posted = new int[posters];
        }

        List<Integer> enabled() {
            List<Integer> actors = new ArrayList<>();
            if (loopAt < END && (loopAt != BLOCKED || edge)) {
                actors.add(0);
            }
            for (int i = 0; i < posterAt.length; i++) {
                if (posted[i] < POSTS || posterAt[i] != 0) {
                    actors.add(i + 1);
                }
            }
            return actors;
        }

        void step(int actor) {
            if (actor == 0) {
                loop();
            } else {
                poster(actor - 1);
            }
        }

        private void loop() {
            switch (loopAt) {
                case DRAIN -> {
                    emptyHanded = queued == 0;
                    queued = 0;
                    loopAt = ANNOUNCE;
                }
                case ANNOUNCE -> {
                    park.announce();
                    loopAt = looksAgain ? LOOK : COMMIT;
                }
                case LOOK -> loopAt = queued == 0 ? COMMIT : RESUME;
                case COMMIT -> {
                    boolean committed = park.commit();
                    parks += committed ? 1 : 0;
                    loopAt = committed ? BLOCKED : RESUME;
                }
                case BLOCKED -> {
                    edge = false;
                    loopAt = RESUME;
                }
                default -> {
                    park.resume();
                    loopAt = parks < PARKS || !emptyHanded ? DRAIN : END;
                }
            }
        }

        private void poster(int i) {
            switch (posterAt[i]) {
                case 0 -> {
                    queued++;
                    posterAt[i] = 1;
                }
                case 1 -> {
                    posterSaw[i] = park.observe();
                    boolean running = posterSaw[i] == ParkState.RUNNING || posterSaw[i] == ParkState.NOTIFIED;
                    posterAt[i] = running ? done(i) : 2;
                }
                case 2 -> {
                    boolean claimed = park.claim(posterSaw[i]);
                    posterAt[i] = !claimed ? 1 : posterSaw[i] == ParkState.PARKED ? 3 : done(i);
                }
                default -> {
                    edge = true;
                    writes++;
                    posterAt[i] = done(i);
                }
            }
        }

        private int done(int i) {
            posted[i]++;
            return 0;
        }

        void verify(List<Integer> schedule) {
            assertEquals(
                    0, loopAt == BLOCKED ? queued : 0, () -> "lost: the loop sleeps on a post, schedule=" + schedule);
            assertTrue(writes <= parks, () -> writes + " writes for " + parks + " parks, schedule=" + schedule);
        }

        @Override
        public String toString() {
            return loopAt + " " + park.observe() + queued + edge + emptyHanded + " " + writes + " " + parks
                    + Arrays.toString(posterAt) + Arrays.toString(posterSaw) + Arrays.toString(posted);
        }
    }
}
