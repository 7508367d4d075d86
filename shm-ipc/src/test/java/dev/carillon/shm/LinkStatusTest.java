package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The word of a link, while others look at it or change it. */
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

    /** Its peer writes another incarnation each time that this side wants to change the word. */
    private static final class RestlessStatus extends LinkStatus {
        private final OrderedBytes bytes;
        private int writes;

        RestlessStatus(OrderedBytes bytes, LinkState goodbye) {
            super(bytes, goodbye);
            this.bytes = bytes;
        }

        @Override
        boolean replace(long from, long to) {
            writes++;
            assertTrue(writes < 1_000, "no end");
            bytes.putLongVolatile(
                    SegmentLayout.LINK_WORD, LinkWord.of(LinkWord.state(from), LinkWord.pid(from), writes + 1));
            return super.replace(from, to);
        }
    }

    @Test
    void aPeerThatChangesTheWordAllTheTimeHoldsUpNoGoodbye() {
        try (MemoryRegion region = MemoryRegion.anonymous(SegmentLayout.FIRST_REGION)) {
            OrderedBytes bytes = region.bytes();
            bytes.putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.of(LinkState.ATTACHED, 1, 1));
            new RestlessStatus(bytes, LinkState.GOODBYE_HOST).sayGoodbye();
            assertEquals(LinkState.GOODBYE_HOST, LinkWord.state(bytes.getLong(SegmentLayout.LINK_WORD)));
            new RestlessStatus(bytes, LinkState.GOODBYE_HOST).fail();
            assertEquals(LinkState.DEAD, LinkWord.state(bytes.getLong(SegmentLayout.LINK_WORD)));
        }
    }

    @Test
    void anAttachToAWordThatDoesNotStandStillSaysSo() {
        try (MemoryRegion region = MemoryRegion.anonymous(SegmentLayout.FIRST_REGION)) {
            region.bytes().putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(1));
            LinkStatus status = new RestlessStatus(region.bytes(), LinkState.GOODBYE_GUEST);
            IllegalStateException told = assertThrows(IllegalStateException.class, () -> status.attach(7));
            assertTrue(told.toString().contains("does not stand still"), told::toString);
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
