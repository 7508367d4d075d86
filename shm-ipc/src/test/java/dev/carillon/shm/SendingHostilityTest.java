package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Claims, batches and retained frames over a link whose memory a peer writes at random. */
final class SendingHostilityTest {
    private static final int LINKS = Boolean.getBoolean("carillon.stress") ? 20_000 : 400;
    private static final int STEPS = 60;
    private static final Duration SOON = Duration.ofMillis(1);

    // r[verify shm.claim] r[verify shm.batch] r[verify shm.retain]
    @Test
    void garbageInTheMemoryEndsTheLinkWithAReason(@Seeded SplittableRandom random) throws Exception {
        int failed = 0;
        for (int i = 0; i < LINKS; i++) {
            try (LinkPair pair = new LinkPair(LinkHostilityTest.SMALL);
                    MemoryRegion memory = MemoryRegion.ofDescriptor(pair.ticket.memoryNumber(), Access.READ_WRITE)) {
                failed += exchange(pair, memory.bytes(), random) ? 1 : 0;
            }
        }
        int seen = failed;
        assertTrue(seen > LINKS / 10, () -> "only " + seen + " of " + LINKS + " links have noticed");
    }

    private static boolean exchange(LinkPair pair, OrderedBytes memory, SplittableRandom random)
            throws InterruptedException {
        try {
            for (int step = 0; step < STEPS; step++) {
                ShmLink one = random.nextBoolean() ? pair.host : pair.guest;
                switch (random.nextInt(5)) {
                    case 0 -> claim(one, random);
                    case 1 -> batch(one, random);
                    case 2, 3 -> retain(one);
                    default -> LinkHostilityTest.mutate(memory, random);
                }
            }
            return false;
        } catch (FaultyPeerException told) {
            assertTrue(told.toString().contains("has failed"), told::toString);
            return true;
        }
    }

    private static void claim(ShmLink link, SplittableRandom random) throws InterruptedException {
        try (SlotWriter claim = link.awaitClaim(random.nextInt(1024), SOON)) {
            if (claim != null && random.nextInt(4) > 0) {
                claim.commit(1, 0, 0);
            }
        }
    }

    private static void batch(ShmLink link, SplittableRandom random) {
        link.sendBatch(4, (index, frame) -> frame.begin(1, 0, 0, random.nextInt(1024)) && random.nextInt(4) > 0);
    }

    private static void retain(ShmLink link) {
        List<Frame> kept = new ArrayList<>();
        try {
            link.poll(frame -> kept.add(frame.retain()), 4);
        } finally {
            for (Frame each : kept) {
                assertEquals(each.length(), each.payload().remaining());
                each.release();
            }
        }
    }
}
