package dev.carillon.loop.queue;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The memory orders that posting, parking and closing rest on; run by {@link QueueRacesIT}. */
public final class QueueRaces {
    private QueueRaces() {}

    /** The poster adds and then looks at the state; the loop announces and then looks at the queue. */
    @JCStressTest
    @State
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "the loop has seen the post")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it parks, and the poster writes")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it sleeps on a post, or is woken in vain")
    public static class NoPostIsSleptOn {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);
        private final ParkState park = new ParkState();

        @Actor
        public void poster(ZZ_Result r) {
            queue.offer(1);
            r.r1 = park.mustWrite();
        }

        @Actor
        public void loop(ZZ_Result r) {
            park.announce();
            r.r2 = queue.isEmpty() && park.commit();
        }
    }

    /** Two posters find a parked loop. */
    @JCStressTest
    @State
    @Outcome(
            id = {"true, false", "false, true"},
            expect = Expect.ACCEPTABLE,
            desc = "one of them writes")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both or none")
    public static class OnePosterWrites {
        private final ParkState park = new ParkState();

        public OnePosterWrites() {
            park.announce();
            park.commit();
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = park.mustWrite();
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = park.mustWrite();
        }
    }

    /** What a poster wrote into a plain object before posting it. */
    @JCStressTest
    @State
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "all of it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "some of it")
    public static class PostedObjectsAreComplete {
        private final MpscQueue<Letter> queue = new MpscQueue<>(1);

        @Actor
        public void poster() {
            queue.offer(new Letter(1, 2));
        }

        @Actor
        public void loop(II_Result r) {
            Letter letter = queue.poll();
            if (letter != null) {
                r.r1 = letter.from;
                r.r2 = letter.to;
            }
        }
    }

    /** Chunks of one place: the second item lies in a chunk that its poster has appended. */
    @JCStressTest
    @State
    @Outcome(
            id = {"0, 0", "1, 0", "1, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "none, the first, or both in their order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost or out of order")
    public static class OrderIsKeptAcrossChunks {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);

        @Actor
        public void poster() {
            queue.offer(1);
            queue.offer(2);
        }

        @Actor
        public void loop(II_Result r) {
            r.r1 = item(queue.poll());
            r.r2 = r.r1 == 0 ? 0 : item(queue.poll());
        }
    }

    /** The bit that closes the queue against the counter that it lies in. */
    @JCStressTest
    @State
    @Outcome(
            id = {"true, 1", "false, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "accepted and run, or refused and not run")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, or run in spite of a refusal")
    public static class WhatIsAcceptedIsThereAfterTheClose {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);

        @Actor
        public void poster(ZI_Result r) {
            r.r1 = queue.offerAlways(1);
        }

        @Actor
        public void loop(ZI_Result r) {
            long claimed = queue.close();
            while (!queue.takenUpTo(claimed)) {
                r.r2 += item(queue.poll());
            }
        }
    }

    /** The same with the bit that refuses other threads: a refused item leaves a place that nobody sees. */
    @JCStressTest
    @State
    @Outcome(
            id = {"true, 1", "false, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "accepted and run, or refused and not run")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, or run in spite of a refusal")
    public static class WhatIsAcceptedIsThereAfterTheStop {
        private final MpscQueue<Integer> queue = new MpscQueue<>(1);

        @Actor
        public void poster(ZI_Result r) {
            r.r1 = queue.offer(1);
        }

        @Actor
        public void loop(ZI_Result r) {
            queue.stop();
            long claimed = queue.close();
            while (!queue.takenUpTo(claimed)) {
                r.r2 += item(queue.poll());
            }
        }
    }

    private static int item(@Nullable Integer item) {
        return item == null ? 0 : item;
    }

    /** Without final fields, which would be published by themselves. */
    private static final class Letter {
        private int from;
        private int to;

        Letter(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }
}
