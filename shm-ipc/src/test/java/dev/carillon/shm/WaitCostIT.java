package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What waits and those who wake cost: nothing where nobody sleeps, and a look or many before a sleep. */
final class WaitCostIT {
    private static final int SLEEPING = 1;

    /** Each wake and each ring of an event count changes its count first: so there was none. */
    // r[verify shm.wait.cheap]
    @Test
    void withoutASleeperNothingThatIsPublishedWakesOrRings() throws Exception {
        try (BareLink links = new BareLink()) {
            for (Side side : Side.values()) {
                ShmLink from = links.link(side);
                ShmLink to = links.peerOf(side);
                ShmChannel channel = from.openChannel();
                ShmChannel accepted = Objects.requireNonNull(to.acceptChannel(LONG));
                for (int i = 0; i < 100; i++) {
                    assertEquals(SendResult.SENT, from.trySend(Frame.of(1, i, bytes(1000, i))));
                    assertEquals(1, from.sendBatch(1, (index, frame) -> frame.begin(1, 0, 1, 8)));
                    try (SlotWriter claim = Objects.requireNonNull(from.tryClaim(100))) {
                        assertEquals(SendResult.SENT, claim.commit(1, 0, i));
                    }
                    to.poll(frame -> {}, 10);
                    assertEquals(SendResult.SENT, channel.trySend(Frame.of(1, i, bytes(500, i))));
                    assertNotNull(accepted.receive(LONG));
                }
                channel.close();
                accepted.reset();
            }
            assertTrue(links.eventCounts().stream().allMatch(count -> count == 0), links.eventCounts()::toString);
            for (Side side : Side.values()) {
                assertNotEquals(DoorbellEvent.RUNG, links.bell(side).poll());
            }
        }
    }

    // r[verify shm.wait.cheap]
    @Test
    void aWaitLooksOftenBeforeItSleepsButOnceOnASingleCoreOrWhereItIsToldSo() {
        assertTrue(looksBeforeTheSleep("-XX:ActiveProcessorCount=2") > 1);
        assertEquals(1, looksBeforeTheSleep("-XX:ActiveProcessorCount=1"));
        assertEquals(1, looksBeforeTheSleep("-XX:ActiveProcessorCount=2", "-Dcarillon.shm.spin=0"));
        assertTrue(looksBeforeTheSleep("-XX:ActiveProcessorCount=1", "-Dcarillon.shm.spin=20000") > 1);
    }

    private static int looksBeforeTheSleep(String... flags) {
        ChildExit exit = ChildJvm.of(Looks.class).vmFlags(flags).run(LIMIT);
        assertEquals(List.of("asleep"), exit.stdout().subList(1, 2), exit::toString);
        return Integer.parseInt(exit.stdout().get(0));
    }

    /** Prints how often it has looked whether the link is over before it has announced a sleep. */
    static final class Looks {
        public static void main(String[] args) throws InterruptedException {
            OpenedLink link = new OpenedLink();
            AtomicInteger looks = new AtomicInteger();
            link.atEachLook = () -> {
                if (link.sleepWord(link.toHost().dataEvent()) == SLEEPING) {
                    System.out.println(looks + "\nasleep");
                    System.exit(0);
                }
                looks.incrementAndGet();
            };
            link.receiving.awaitData(LONG);
        }
    }
}
