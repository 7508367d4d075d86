package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.futex.EventCount;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A peer dies where its death could be missed: in the midst of a wakeup, after the watch was lost, or soon after it has come. */
final class LostWatchTest {
    private static final Duration LONG = LIMIT.multipliedBy(20);

    /** Its watch is confirmed when this returns, so that a wait sleeps without end. */
    private static void watched(BareLink links) {
        Deadline.after(LIMIT).await("it is watched", links.host.peer()::isWatched);
    }

    private static void turn(EventLoop loop) {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        loop.execute(() -> turn.complete(true));
        assertTrue(Futures.get(turn));
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wakeup.credit-wait]
    @Test
    void whoSleepsForCreditLearnsThatThePeerHasDiedInTheMidstOfWakingIt() throws Exception {
        try (BareLink links = new BareLink()) {
            watched(links);
            ShmChannel mine = links.host.openChannel();
            ShmChannel theirs = Objects.requireNonNull(links.guest.acceptChannel(LONG));
            assertEquals(SendResult.SENT, mine.send(text("uses some"), LONG));
            Waiting<CreditResult> waiting =
                    Waiting.on(() -> mine.awaitCredit(links.from(Side.HOST).window(), LONG));
            waiting.awaitAsleep();
            links.takeSleepers(links.creditEvent(Side.HOST, mine.id() & 0xFFFF));
            links.tearOut(Side.GUEST);
            assertEquals(CreditResult.PEER_GONE, waiting.result());
            assertFalse(theirs.hasEnded());
        }
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void whoSleepsForDataOrRoomLearnsThatThePeerHasDiedInTheMidstOfWakingIt() throws Exception {
        try (BareLink links = new BareLink()) {
            watched(links);
            BareLink.fill(links.host);
            Waiting<@Nullable Frame> receiving = Waiting.on(() -> links.host.receive(LONG));
            Waiting<SendResult> sending = Waiting.on(() -> links.host.send(text("more"), LONG));
            receiving.awaitAsleep();
            sending.awaitAsleep();
            links.takeSleepers(links.from(Side.GUEST).dataEvent());
            links.takeSleepers(links.from(Side.HOST).spaceEvent());
            links.tearOut(Side.GUEST);
            assertNull(receiving.result());
            assertEquals(SendResult.PEER_GONE, sending.result());
        }
    }

    /** The loop that watched for it has ended meanwhile: another one takes over. */
    // r[verify shm.wait.all-transitions]
    @Test
    void aThreadThatSleepsWhileItsWatchIsLostLearnsOfALaterDeath() throws Exception {
        try (EventLoop first = EventLoop.open().start();
                BareLink links = new BareLink()) {
            AsyncLink async = links.host.onLoop(first);
            turn(first);
            Waiting<@Nullable Frame> receiving = Waiting.on(() -> links.host.receive(LONG));
            receiving.awaitAsleep();
            assertEquals(first, async.loop());
            first.requestStop();
            assertTrue(first.awaitTermination(LIMIT));
            links.tearOut(Side.GUEST);
            assertNull(receiving.result());
            assertEquals(PeerState.DEAD, links.host.peerState());
        }
    }

    /** A guest rings when it has attached, and a thread has read that ring: the loop would not hear of the guest's number. */
    @Test
    void aPeerWhoseFirstRingAThreadHasReadIsWatchedAllTheSame() throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                MemoryRegion memory = MemoryRegion.anonymous(SegmentLayout.FIRST_REGION + 24);
                DoorbellPair bells = Doorbell.pair();
                Child peer = Spawn.command("sleep", "300").start(loop)) {
            memory.bytes().putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.reserved(1));
            LinkStatus status = new LinkStatus(memory.bytes(), LinkState.GOODBYE_HOST);
            LinkEvents events = events(memory);
            AtomicInteger pid = new AtomicInteger();
            PeerWatch watch = new PeerWatch(
                    bells.host(),
                    status,
                    new PeerProcess(pid::get, 0),
                    new LinkSleepers(events, events, new LinkPages(memory)));
            Told told = new Told();
            watch.listen(loop, told);
            turn(loop);
            assertTrue(watch.isConfirmed());
            CountDownLatch stands = new CountDownLatch(1);
            CountDownLatch read = new CountDownLatch(1);
            loop.execute(() -> {
                stands.countDown();
                awaitQuietly(read);
            });
            awaitQuietly(stands);
            status.attach(peer.pid());
            pid.set(peer.pid());
            bells.guest().ring();
            watch.look();
            int changes = told.changes.get();
            read.countDown();
            assertEquals(1, changes, "the loop does not hear that ring any more");
            turn(loop);
            assertTrue(peer.kill());
            // The bell has its other end still.
            Deadline.after(LIMIT).await("its death is known", () -> status.peer() == PeerState.DEAD);
            watch.close();
        }
    }

    private static LinkEvents events(MemoryRegion memory) {
        int first = SegmentLayout.FIRST_REGION;
        return new LinkEvents(
                EventCount.at(memory, first), EventCount.at(memory, first + 8), EventCount.at(memory, first + 16));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts it", e);
        }
    }

    private static final class Told implements PeerListener {
        private final AtomicInteger changes = new AtomicInteger();

        @Override
        public void rung() {}

        @Override
        public void changed() {
            changes.incrementAndGet();
        }

        @Override
        public void closed() {}
    }
}
