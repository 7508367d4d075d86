package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One loop (actor 0) and its posters, a queue that is but a counter, and an edge-triggered eventfd; the {@link ParkState}
 * is the real one.
 *
 * <p>In its first park the loop has a timer of its own and wakes without a write, in the second it has none. Some
 * posters post a timer that is later than the loop's: they wake the loop only if it has published that it has none.
 */
final class ParkWorld {
    private static final int POSTS = 2;
    private static final int PARKS = 2;

    private enum Loop {
        DRAIN,
        PUBLISH,
        ANNOUNCE,
        LOOK,
        PUBLISH_LATE,
        COMMIT,
        BLOCKED,
        RESUME,
        END
    }

    private enum Poster {
        POST,
        READ_TIME,
        OBSERVE,
        CLAIM,
        WRITE
    }

    private final ParkState park = new ParkState();
    private final @Nullable ParkMistake mistake;
    private final int timerPosters;
    private final Poster[] posterAt;
    private final int[] posterSaw;
    private final int[] posted;
    private Loop loopAt = Loop.DRAIN;
    private boolean wakesByItself;
    private boolean sawEmpty;
    private boolean emptyHanded;
    private int queued;
    private boolean edge;
    private int writes;
    private int parks;

    ParkWorld(int posters, int timerPosters, @Nullable ParkMistake mistake) {
        this.mistake = mistake;
        this.timerPosters = timerPosters;
        posterAt = new Poster[posters + timerPosters];
        Arrays.fill(posterAt, first());
        posterSaw = new int[posterAt.length];
        posted = new int[posterAt.length];
    }

    /** Who can take a step. */
    List<Integer> enabled() {
        List<Integer> actors = new ArrayList<>();
        boolean sleeps = loopAt == Loop.BLOCKED && !edge && !hasTimer();
        if (loopAt != Loop.END && !sleeps) {
            actors.add(0);
        }
        for (int i = 0; i < posterAt.length; i++) {
            if (posted[i] < POSTS || posterAt[i] != first()) {
                actors.add(i + 1);
            }
        }
        return actors;
    }

    void step(int actor) {
        if (actor == 0) {
            loopAt = loop();
        } else {
            poster(actor - 1);
        }
    }

    private boolean is(ParkMistake planted) {
        return mistake == planted;
    }

    /** Before its first park it is told by nobody when it can sleep for ever. */
    private boolean hasTimer() {
        return parks <= 1 && timerPosters > 0;
    }

    private Loop loop() {
        return switch (loopAt) {
            case DRAIN -> {
                emptyHanded = queued == 0;
                queued = 0;
                if (is(ParkMistake.LOOKS_BEFORE_IT_ANNOUNCES)) {
                    yield Loop.LOOK;
                }
                yield is(ParkMistake.PUBLISHES_ITS_TIME_TOO_LATE) ? Loop.ANNOUNCE : Loop.PUBLISH;
            }
            case PUBLISH -> {
                publish();
                yield Loop.ANNOUNCE;
            }
            case ANNOUNCE -> {
                park.announce();
                boolean looks = !is(ParkMistake.LOOKS_NOT_AGAIN) && !is(ParkMistake.LOOKS_BEFORE_IT_ANNOUNCES);
                yield looks ? Loop.LOOK : afterLook(true);
            }
            case LOOK -> {
                sawEmpty = queued == 0;
                if (is(ParkMistake.LOOKS_BEFORE_IT_ANNOUNCES)) {
                    yield sawEmpty ? Loop.PUBLISH : Loop.DRAIN;
                }
                yield afterLook(sawEmpty);
            }
            case PUBLISH_LATE -> {
                publish();
                yield Loop.COMMIT;
            }
            case COMMIT -> {
                boolean committed = park.commit();
                parks += committed ? 1 : 0;
                yield committed || is(ParkMistake.BLOCKS_WITHOUT_A_COMMIT) ? Loop.BLOCKED : Loop.RESUME;
            }
            case BLOCKED -> {
                edge = false;
                yield Loop.RESUME;
            }
            case RESUME -> {
                park.resume();
                yield parks < PARKS || !emptyHanded ? Loop.DRAIN : Loop.END;
            }
            case END -> Loop.END;
        };
    }

    private Loop afterLook(boolean empty) {
        if (!empty) {
            return Loop.RESUME;
        }
        return is(ParkMistake.PUBLISHES_ITS_TIME_TOO_LATE) ? Loop.PUBLISH_LATE : Loop.COMMIT;
    }

    /** For the park that comes. */
    private void publish() {
        wakesByItself = parks == 0 && timerPosters > 0;
    }

    private Poster first() {
        return is(ParkMistake.OBSERVES_BEFORE_IT_POSTS) ? Poster.OBSERVE : Poster.POST;
    }

    private void poster(int i) {
        switch (posterAt[i]) {
            case POST -> {
                queued++;
                boolean timer = i >= posterAt.length - timerPosters;
                if (is(ParkMistake.OBSERVES_BEFORE_IT_POSTS)) {
                    afterObserve(i);
                } else {
                    posterAt[i] = timer ? Poster.READ_TIME : Poster.OBSERVE;
                }
            }
            case READ_TIME -> {
                if (wakesByItself) {
                    done(i);
                } else {
                    posterAt[i] = Poster.OBSERVE;
                }
            }
            case OBSERVE -> {
                posterSaw[i] = park.observe();
                if (is(ParkMistake.OBSERVES_BEFORE_IT_POSTS)) {
                    posterAt[i] = Poster.POST;
                } else {
                    afterObserve(i);
                }
            }
            case CLAIM -> {
                if (!park.claim(posterSaw[i])) {
                    posterAt[i] = Poster.OBSERVE;
                } else if (posterSaw[i] == ParkState.PARKED) {
                    posterAt[i] = Poster.WRITE;
                } else {
                    done(i);
                }
            }
            case WRITE -> {
                edge = true;
                writes++;
                done(i);
            }
        }
    }

    /** What {@link ParkState#mustWrite} does with what it has seen. */
    private void afterObserve(int i) {
        int seen = posterSaw[i];
        boolean running = seen == ParkState.RUNNING
                || seen == ParkState.NOTIFIED
                || (seen == ParkState.PARKING && is(ParkMistake.TAKES_PARKING_FOR_RUNNING));
        if (running) {
            done(i);
        } else if (seen == ParkState.PARKED && is(ParkMistake.WRITES_WITHOUT_A_CLAIM)) {
            posterAt[i] = Poster.WRITE;
        } else {
            posterAt[i] = Poster.CLAIM;
        }
    }

    private void done(int i) {
        posted[i]++;
        posterSaw[i] = ParkState.RUNNING;
        posterAt[i] = first();
    }

    /** Of a world in which nobody can take a step. */
    void verify(List<Integer> schedule) {
        assertEquals(
                0, loopAt == Loop.BLOCKED ? queued : 0, () -> "lost: the loop sleeps on a post, schedule=" + schedule);
        assertTrue(writes <= parks, () -> writes + " writes for " + parks + " parks, schedule=" + schedule);
    }

    @Override
    public String toString() {
        return loopAt + " " + park.observe() + queued + edge + wakesByItself + sawEmpty + emptyHanded + " " + writes
                + " " + parks + Arrays.toString(posterAt) + Arrays.toString(posterSaw) + Arrays.toString(posted);
    }
}
