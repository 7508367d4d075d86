package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each wait of a link, by a thread and on a loop, and whatever can end it. */
final class LinkTransitionsTest {
    /** Longer than a test: whoever is not woken makes it fail. */
    private static final Duration LONG = LIMIT.multipliedBy(20);

    /** What a loop announces. */
    private static final int LISTENING = 2;

    private static final int SLEEPING = 1;

    /** What is waited for. */
    enum Wait {
        DATA,
        SPACE,
        SLOT
    }

    /** What happens meanwhile. */
    enum Transition {
        PROGRESS,
        GOODBYE,
        OWN_CLOSE,
        DEATH,
        FAILURE
    }

    /** Who waits. */
    enum By {
        THREAD,
        LOOP
    }

    /** One row. */
    record Row(Wait awaited, Transition transition, By by, Side side) {}

    static Stream<Row> rows() {
        return Stream.of(Wait.values())
                .flatMap(wait -> Stream.of(Transition.values())
                        .flatMap(transition -> Stream.of(By.values())
                                .flatMap(by ->
                                        Stream.of(Side.values()).map(side -> new Row(wait, transition, by, side)))));
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wait.sleep-word]
    @ParameterizedTest
    @MethodSource("rows")
    void eachWaitIsEndedByEachTransition(Row row) throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                BareLink links = new BareLink()) {
            ShmLink link = links.link(row.side);
            if (row.awaited == Wait.SPACE) {
                BareLink.fill(link);
            } else if (row.awaited == Wait.SLOT) {
                assertEquals(SendResult.SENT, link.trySend(LARGE));
            }
            CompletableFuture<?> waiting = begin(row, links, row.by == By.LOOP ? link.onLoop(loop) : null);
            happen(row, links);
            assertEquals(expected(row), outcome(waiting));
        }
    }

    /** A thread waits for room, and the loop for frames, on the same side. */
    // r[verify shm.wait.sleep-word]
    @ParameterizedTest
    @MethodSource("endings")
    void aThreadAndALoopWaitOnOneSide(Transition transition) throws Exception {
        for (By sender : By.values()) {
            try (EventLoop loop = EventLoop.open().start();
                    BareLink own = new BareLink()) {
                BareLink.fill(own.host);
                By receiver = sender == By.LOOP ? By.THREAD : By.LOOP;
                AsyncLink async = own.host.onLoop(loop);
                CompletableFuture<?> sends = begin(new Row(Wait.SPACE, transition, sender, Side.HOST), own, async);
                CompletableFuture<?> receives = begin(new Row(Wait.DATA, transition, receiver, Side.HOST), own, async);
                if (transition == Transition.GOODBYE) {
                    own.guest.close();
                } else {
                    own.tearOut(Side.GUEST);
                }
                assertEquals("PEER_GONE", outcome(sends));
                assertEquals("null", outcome(receives));
            }
        }
    }

    static List<Transition> endings() {
        return List.of(Transition.GOODBYE, Transition.DEATH);
    }

    @Test
    void whatADeadPeerHadSentIsReceivedAndThenItIsDead() throws Exception {
        try (BareLink links = new BareLink()) {
            for (String each : List.of("a", "b", "c")) {
                assertEquals(SendResult.SENT, links.guest.trySend(text(each)));
            }
            links.tearOut(Side.GUEST);
            assertEquals(PeerState.DEAD, links.host.peerState());
            assertEquals(SendResult.PEER_GONE, links.host.trySend(text("answer")));
            for (String each : List.of("a", "b", "c")) {
                assertEquals(each, LinkPair.text(LinkTest.receive(links.host)));
            }
            assertEquals(null, links.host.receive(LONG));
            assertEquals(PeerState.DEAD, links.host.peerState());
            assertTrue(links.host.peerState().isOver());
        }
    }

    /** Its memory may still be written by those who have inherited it. */
    @Test
    void aPeerThatWasDeadStaysDeadWhateverIsWrittenLater() throws Exception {
        try (BareLink links = new BareLink()) {
            links.tearOut(Side.GUEST);
            assertEquals(PeerState.DEAD, links.host.peerState());
            links.corrupt();
            assertEquals(PeerState.DEAD, links.host.peerState());
            assertEquals(null, links.host.receive(LONG));
        }
    }

    @Test
    void aGoodbyeBeforeTheEndOfTheProcessIsNoDeath() throws Exception {
        try (BareLink links = new BareLink()) {
            links.guest.close();
            assertEquals(null, links.host.receive(LONG));
            links.tearOut(Side.GUEST);
            assertEquals(PeerState.GONE, links.host.peerState());
        }
    }

    /** The ticket is closed, so that no guest can come. */
    @Test
    void aGuestThatNeverComesEndsTheWaitForIt() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(BareLink.SMALL);
            Waiting<Frame> receiving = Waiting.on(() -> ticket.link().receive(LONG));
            receiving.awaitAsleep();
            assertEquals(PeerState.EXPECTED, ticket.link().peerState());
            ticket.close();
            assertEquals(null, receiving.result());
            assertEquals(PeerState.GONE, ticket.link().peerState());
        }
    }

    /** An error has ended the shared loop, which is replaced. */
    @Test
    void theEndOfTheLoopThatWatchesKeepsNoWaitFromItsEnd() throws Exception {
        try (EventLoop first = EventLoop.open().start();
                BareLink links = new BareLink()) {
            AsyncLink async = links.host.onLoop(first);
            CompletableFuture<SendResult> sent = async.sendAsync(text("through the loop"));
            assertEquals("SENT", outcome(sent));
            CompletableFuture<?> listening =
                    begin(new Row(Wait.DATA, Transition.DEATH, By.LOOP, Side.HOST), links, async);
            first.requestStop();
            assertEquals("closed", outcome(listening));
            CompletableFuture<?> sleeping =
                    begin(new Row(Wait.DATA, Transition.DEATH, By.THREAD, Side.HOST), links, null);
            links.tearOut(Side.GUEST);
            assertEquals("null", outcome(sleeping));
        }
    }

    private static CompletableFuture<?> begin(Row row, BareLink links, @Nullable AsyncLink async) {
        ShmLink link = links.link(row.side);
        boolean listens = row.by == By.LOOP;
        CompletableFuture<?> waiting =
                listens ? onLoop(row.awaited, Objects.requireNonNull(async)) : byThread(row.awaited, link);
        Side peer = row.side == Side.HOST ? Side.GUEST : Side.HOST;
        int event = switch (row.awaited) {
            case DATA -> links.from(peer).dataEvent();
            case SPACE -> links.from(row.side).spaceEvent();
            case SLOT -> links.from(row.side).slotEvent();
        };
        int announced = listens ? LISTENING : SLEEPING;
        Deadline.after(LIMIT).await("it waits", () -> links.sleepWord(event) == announced);
        return waiting;
    }

    private static CompletableFuture<?> onLoop(Wait awaited, AsyncLink async) {
        return switch (awaited) {
            case DATA -> async.receiveAsync();
            case SPACE -> async.sendAsync(text("more"));
            case SLOT -> async.sendAsync(LARGE);
        };
    }

    private static CompletableFuture<?> byThread(Wait awaited, ShmLink link) {
        return switch (awaited) {
            case DATA -> thread(() -> link.receive(LONG));
            case SPACE -> thread(() -> link.send(text("more"), LONG));
            case SLOT -> thread(() -> link.send(LARGE, LONG));
        };
    }

    private static CompletableFuture<?> thread(Callable<?> wait) {
        CompletableFuture<Object> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        ended.complete(wait.call());
                    } catch (Exception why) {
                        ended.completeExceptionally(why);
                    }
                },
                "waits");
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    private static void happen(Row row, BareLink links) throws Exception {
        ShmLink own = links.link(row.side);
        ShmLink peer = links.peerOf(row.side);
        switch (row.transition) {
            case PROGRESS -> {
                if (row.awaited == Wait.DATA) {
                    assertEquals(SendResult.SENT, peer.trySend(text("late")));
                } else {
                    assertEquals(1, peer.poll(frame -> {}, 1));
                }
            }
            case GOODBYE -> peer.close();
            case OWN_CLOSE -> own.close();
            case DEATH -> links.tearOut(row.side == Side.HOST ? Side.GUEST : Side.HOST);
            case FAILURE -> {
                links.corrupt();
                // The other half of this side finds it out.
                assertThrows(IllegalStateException.class, () -> {
                    if (row.awaited == Wait.DATA) {
                        own.trySend(text("x"));
                    } else {
                        own.receive(NO_TIME);
                    }
                });
            }
        }
    }

    private static String expected(Row row) {
        return switch (row.transition) {
            case PROGRESS -> row.awaited == Wait.DATA ? "late" : "SENT";
            case GOODBYE, DEATH -> row.awaited == Wait.DATA ? "null" : "PEER_GONE";
            case OWN_CLOSE -> "closed";
            case FAILURE -> "has failed";
        };
    }

    private static String outcome(CompletableFuture<?> waiting) throws Exception {
        try {
            Object result = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            return result instanceof Frame frame ? LinkPair.text(frame) : String.valueOf(result);
        } catch (ExecutionException e) {
            Throwable why = Objects.requireNonNull(e.getCause());
            String message = String.valueOf(why);
            return why instanceof ClosedException
                    ? "closed"
                    : message.contains("has failed") ? "has failed" : message + Arrays.toString(why.getStackTrace());
        }
    }
}
