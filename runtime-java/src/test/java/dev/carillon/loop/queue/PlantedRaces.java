package dev.carillon.loop.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What {@link QueueRaces} looks for, planted: {@link QueueRacesIT} sees each of them found. */
public final class PlantedRaces {
    private static final VarHandle STATE =
            Fields.of(MethodHandles.lookup(), AnnouncedTooWeakly.class, "state", int.class);

    private PlantedRaces() {}

    /** Announces by a release store: the processor may look at the queue before others see it. */
    @JCStressTest
    @State
    @Outcome(
            id = {"false, false", "true, true", "true, false"},
            expect = Expect.ACCEPTABLE)
    @Outcome(id = "false, true", expect = Expect.FORBIDDEN, desc = "the loop sleeps on a post")
    public static class AnnouncedTooWeakly {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);
        int state = ParkState.RUNNING;

        @Actor
        public void poster(ZZ_Result r) {
            queue.offer(1);
            r.r1 = (int) STATE.getVolatile(this) != ParkState.RUNNING;
        }

        @Actor
        public void loop(ZZ_Result r) {
            STATE.setRelease(this, ParkState.PARKING);
            r.r2 = queue.isEmpty();
        }
    }

    /** Looks at the queue, and announces then. */
    @JCStressTest
    @State
    @Outcome(
            id = {"false, false", "true, true"},
            expect = Expect.ACCEPTABLE)
    @Outcome(id = "false, true", expect = Expect.FORBIDDEN, desc = "the loop sleeps on a post")
    public static class LooksBeforeItAnnounces {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);
        private final ParkState park = new ParkState();

        @Actor
        public void poster(ZZ_Result r) {
            queue.offer(1);
            r.r1 = park.mustWrite();
        }

        @Actor
        public void loop(ZZ_Result r) {
            boolean empty = queue.isEmpty();
            park.announce();
            r.r2 = empty && park.commit();
        }
    }

    /** Posts an object and fills it in then. */
    @JCStressTest
    @State
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = Expect.ACCEPTABLE)
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "posted before it is complete")
    public static class PostedTooEarly {
        private final MpscQueue<int[]> queue = new MpscQueue<>(1);

        @Actor
        public void poster() {
            int[] letter = new int[1];
            queue.offer(letter);
            letter[0] = 1;
        }

        @Actor
        public void loop(II_Result r) {
            int @Nullable [] letter = queue.poll();
            r.r1 = letter == null ? 0 : 1;
            r.r2 = letter == null ? 0 : letter[0];
        }
    }
}
