package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.slot.SlotWord;
import dev.carillon.test.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The searches for lost wakeups ({@link ListenWaitTest}, {@link ClaimWaitTest}, CreditWaitTest) make the steps by themselves: so
 * the shipped code must make them in the same order. What others do is done here right between two of them.
 */
final class ShippedWaitStepsTest {
    private static final int WAITS = 3;
    private static final int NONE = 0;
    private static final int SLEEPING = 1;
    private static final int LISTENING = 2;

    private final OpenedLink link = new OpenedLink();

    @AfterEach
    void close() {
        link.close();
    }

    /** What listens, in terms of the search: LOOK, ANNOUNCE, LOOK_AGAIN. */
    private record Listener(int event, BooleanSupplier isThereOrListens, Runnable progress) {}

    private static List<Listener> listeners(OpenedLink link) {
        return List.of(
                new Listener(
                        link.toHost().dataEvent(), link.listening::dataOrListen, () -> link.guest.trySend(text("x"))),
                new Listener(
                        link.toGuest().spaceEvent(), link.listening::spaceOrListen, () -> link.guest.poll(x -> {}, 1)),
                new Listener(
                        link.toGuest().slotEvent(),
                        () -> link.listening.roomOrListen(LARGE.length()),
                        () -> link.guest.poll(x -> {}, 1)));
    }

    /** Nothing is there: the ring is full, or the slot is taken. */
    private static void exhaust(OpenedLink link, int which) {
        if (which == 1) {
            while (link.sending.trySend(text("x")) == SendResult.SENT) {
                assertTrue(link.life.isOpen());
            }
        } else if (which == 2) {
            assertEquals(SendResult.SENT, link.sending.trySend(LARGE));
        }
    }

    // r[verify shm.loop] r[verify shm.wait.event-counter]
    @Test
    void whoListensLooksThenAnnouncesThenLooksAgain() {
        for (int which = 0; which < WAITS; which++) {
            try (OpenedLink own = new OpenedLink()) {
                List<Integer> words = new ArrayList<>();
                exhaust(own, which);
                Listener listener = listeners(own).get(which);
                own.atEachLook = () -> words.add(own.sleepWord(listener.event));
                assertFalse(listener.isThereOrListens.getAsBoolean());
                assertEquals(List.of(NONE, LISTENING), words, "listener " + which);
            }
        }
    }

    // r[verify shm.loop] r[verify shm.doorbell.ring-integration]
    @Test
    void whatComesBeforeTheAnnouncementIsSeenAndWhatComesAfterTheSecondLookRings() {
        for (int which = 0; which < WAITS; which++) {
            for (int when : List.of(NONE, LISTENING)) {
                try (OpenedLink own = new OpenedLink()) {
                    exhaust(own, which);
                    Listener listener = listeners(own).get(which);
                    own.drainBell();
                    AtomicInteger times = new AtomicInteger();
                    own.atEachLook = () -> {
                        if (own.sleepWord(listener.event) == when && times.getAndIncrement() == 0) {
                            listener.progress.run();
                        }
                    };
                    boolean isThere = listener.isThereOrListens.getAsBoolean();
                    assertEquals(1, times.get());
                    assertEquals(when == NONE, isThere, "listener " + which);
                    DoorbellEvent heard = own.bells.host().poll();
                    assertEquals(when == LISTENING, heard == DoorbellEvent.RUNG, "listener " + which + ": " + heard);
                }
            }
        }
    }

    // r[verify shm.wait.event-counter] r[verify shm.wakeup.consumer-wait]
    @Test
    void whatComesAfterTheSecondLookOfAThreadKeepsItFromSleeping() throws Exception {
        int event = link.toHost().dataEvent();
        AtomicInteger asleep = new AtomicInteger();
        link.atEachLook = () -> {
            if (link.sleepWord(event) == SLEEPING && asleep.getAndIncrement() == 0) {
                link.guest.trySend(text("late"));
            }
        };
        assertTrue(link.receiving.awaitData(LONG));
        assertEquals(1, asleep.get());
    }

    /** OVER comes before RECEIVE, and whoever finds the link over receives once more. */
    // r[verify shm.loop] r[verify shm.detach]
    @Test
    void aFrameThatIsSentRightBeforeTheGoodbyeIsReceivedWheneverThatComes() throws Exception {
        for (int when = 1; when <= 3; when++) {
            try (EventLoop loop = EventLoop.open().start();
                    OpenedLink own = new OpenedLink()) {
                int chosen = when;
                AtomicInteger looks = new AtomicInteger();
                own.atEachLook = () -> {
                    if (looks.incrementAndGet() == chosen) {
                        own.guest.trySend(text("last"));
                        own.guest.close();
                    }
                };
                AsyncLink async = own.onLoop(loop);
                CompletableFuture<@Nullable Frame> last = async.receiveAsync();
                assertEquals("last", text(Objects.requireNonNull(Futures.get(last))), "look " + chosen);
                assertNull(Futures.get(async.receiveAsync()));
                async.close();
            }
        }
    }

    /** PLACE comes before LOOK: whoever tells meanwhile finds the waiter there. */
    // r[verify shm.loop]
    @Test
    void aWaiterIsInItsPlaceBeforeItLooks() {
        try (EventLoop loop = EventLoop.open().start()) {
            AtomicInteger told = new AtomicInteger();
            LinkWaits waits = new LinkWaits(loop, link.peer, new HalfWait(), new HalfWait(), why -> {});
            waits.begin();
            LinkWaiter waiter = new LinkWaiter() {
                @Override
                public void changed() {
                    told.incrementAndGet();
                }

                @Override
                public void refused(RuntimeException why) {
                    throw why;
                }
            };
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            loop.execute(() -> answer.complete(waits.forData(waiter, () -> {
                waits.rung();
                return true;
            })));
            // It was told, which is as good as a change: it must not go on by itself as well.
            assertFalse(Futures.get(answer));
            assertEquals(1, told.get());
            waits.end(new IllegalStateException("over"));
        }
    }

    // r[verify shm.doorbell.ring-integration] r[verify shm.wait.event-counter] r[verify shm.wakeup.consumer-wait]
    @Test
    void aFrameIsPublishedBeforeTheSignal() {
        link.listenFor(
                link.toGuest().dataEvent(), () -> link.word(link.toGuest().head()));
        assertEquals(SendResult.SENT, link.sending.trySend(text("a")));
        assertEquals(List.of(1L), link.seen());
        link.listenFor(
                link.toGuest().dataEvent(),
                () -> link.word(link.toGuest().head()) * 100
                        + SlotWord.state(link.word(link.largeSlot(link.toGuest()))));
        assertEquals(SendResult.SENT, link.sending.trySend(LARGE));
        assertEquals(List.of(200L + SlotWord.IN_FLIGHT), link.seen());
    }

    // r[verify shm.wakeup.producer-wait] r[verify shm.wakeup.slot-wait]
    @Test
    void entriesAndSlotsAreFreeBeforeTheSignal() {
        link.guest.trySend(text("a"));
        link.listenFor(link.toHost().spaceEvent(), () -> link.word(link.toHost().tail()));
        assertEquals(1, link.receiving.poll(x -> {}, 1));
        assertEquals(List.of(1L), link.seen());
        link.guest.trySend(LARGE);
        link.listenFor(link.toHost().slotEvent(), () -> link.word(link.largeSlot(link.toHost())));
        assertEquals(1, link.receiving.poll(x -> {}, 1));
        assertEquals(List.of(SlotWord.of(1, SlotWord.FREE)), link.seen());
        link.guest.trySend(LARGE);
        link.listenFor(link.toHost().slotEvent(), () -> link.word(link.largeSlot(link.toHost())));
        List<Frame> kept = new ArrayList<>();
        assertEquals(1, link.receiving.poll(frame -> kept.add(frame.retain()), 1));
        kept.get(0).release();
        assertEquals(List.of(SlotWord.of(2, SlotWord.FREE)), link.seen());
    }

    // r[verify shm.wakeup.credit-wait] r[verify shm.credit]
    @Test
    void creditAcceptAndResetAreThereBeforeTheSignal() throws Exception {
        ShmChannel theirs = link.guest.openChannel();
        int index = theirs.id() & 0xFFFF;
        int event = link.creditEvent(link.toHost(), index);
        link.listenFor(event, () -> (long) link.taken(event));
        ShmChannel mine = Objects.requireNonNull(link.channels.accept(LONG));
        assertEquals(List.of((long) mine.id()), link.seen());
        assertEquals(SendResult.SENT, theirs.send(text("costs"), LONG));
        long before = link.granted(event);
        link.listenFor(event, () -> link.granted(event) - before);
        assertNotNull(mine.receive(LONG));
        assertEquals(List.of(ShmChannel.cost(5)), link.seen());
        link.listenFor(event, () -> (long) link.reset(event));
        mine.reset();
        assertEquals(List.of((long) mine.id()), link.seen());
    }

    // r[verify shm.detach] r[verify shm.wait.all-transitions]
    @Test
    void aGoodbyeIsSaidBeforeTheSignal() {
        for (int event : List.of(
                link.toHost().dataEvent(),
                link.toGuest().spaceEvent(),
                link.toGuest().slotEvent())) {
            try (OpenedLink own = new OpenedLink()) {
                own.listenFor(
                        event,
                        () -> LinkWord.state(own.word(SegmentLayout.LINK_WORD)) == LinkState.GOODBYE_HOST ? 1L : 0L);
                own.life.sayGoodbye();
                assertFalse(own.seen().contains(0L), own.seen()::toString);
                assertFalse(own.seen().isEmpty());
            }
        }
    }
}
