package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Several threads wait for room on one link, as those do that send on channels: one of them takes what has woken another one. */
final class TakenByAnotherTest {
    private static final int GONE_AFTER_A_LOOK = 1;
    private static final int STAYS = 2;

    // r[verify shm.backpressure]
    @Test
    void whoFindsWhatItWaitedForTakenWaitsOn() throws Exception {
        try (OpenedLink link = new OpenedLink()) {
            // Else its sleeps are short, and the look after one of them may take what is there.
            Deadline.after(LIMIT).await("the peer is watched", link.peer::isWatched);
            AtomicInteger there = new AtomicInteger();
            Waiting<Boolean> waiting = Waiting.on(() -> link.waiting.until(
                    link.outgoing.space(),
                    () -> there.get() == STAYS || there.compareAndSet(GONE_AFTER_A_LOOK, 0),
                    System.nanoTime() + LONG.toNanos()));
            for (int i = 0; i < 3; i++) {
                waiting.awaitAsleep();
                there.set(GONE_AFTER_A_LOOK);
                link.outgoing.space().signal();
                Deadline.after(LIMIT).await("it was seen, and is gone", () -> there.get() == 0);
            }
            assertFalse(waiting.isOver() && !waiting.result(), "it has given up before its time");
            there.set(STAYS);
            link.outgoing.space().signal();
            assertTrue(waiting.result());
        }
    }
}
