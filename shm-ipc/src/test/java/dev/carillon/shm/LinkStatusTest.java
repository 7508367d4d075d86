package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A guest attaches while two threads of the host look at the state. */
final class LinkStatusTest {
    private static final int ATTACHES = 2_000;
    private static final int LOOKS = 10;

    // r[verify shm.link-word]
    @Test
    void aGuestThatAttachesWhileOthersLookIsNotTakenForAFaultyOne() throws Exception {
        ExecutorService others = Executors.newFixedThreadPool(2);
        try (MemoryRegion region = MemoryRegion.anonymous(SegmentLayout.FIRST_REGION)) {
            for (int i = 0; i < ATTACHES; i++) {
                region.bytes().putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(1));
                LinkStatus status = new LinkStatus(region.bytes(), LinkState.GOODBYE_HOST);
                CyclicBarrier start = new CyclicBarrier(3);
                Future<Boolean> one = others.submit(() -> look(status, start));
                Future<Boolean> other = others.submit(() -> look(status, start));
                start.await();
                status.attach(1);
                assertTrue(one.get() && other.get());
            }
        } finally {
            others.shutdown();
            assertTrue(others.awaitTermination(LinkPair.LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }

    private static boolean look(LinkStatus status, CyclicBarrier start) throws Exception {
        start.await();
        boolean open = true;
        int looks = 0;
        while (looks < LOOKS) {
            open &= status.isOpen();
            looks += status.guestPid();
        }
        return open;
    }
}
