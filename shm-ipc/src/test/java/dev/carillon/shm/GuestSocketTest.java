package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.PeerCredentials;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guests that come by the socket of a host, in this process. */
// r[verify shm.attach.socket]
final class GuestSocketTest {
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).slots(256, 2).build();
    private static final Duration SOON = Duration.ofMillis(50);

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
    private Path directory;

    @BeforeEach
    void nameDirectory() {
        directory = folder.resolve("host");
    }

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private HostConfig.Builder config() {
        return HostConfig.builder().loop(loop).link(SMALL).onGuest((link, guest) -> arrived.add(link));
    }

    private ShmLink nextGuest() throws InterruptedException {
        return Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "no guest came");
    }

    @Test
    void aGuestThatConnectsIsToldToTheHostAndFramesGoBothWays() throws Exception {
        try (ShmHost host = ShmHost.create(directory, config().build());
                ShmLink guest = ShmGuest.connect(directory);
                ShmLink link = nextGuest()) {
            assertEquals(PeerState.ATTACHED, link.peerState());
            assertEquals(guest.peerId(), link.peerId());
            assertEquals(link, host.peer(link.peerId()));
            assertEquals(SendResult.SENT, guest.trySend(text("question")));
            assertEquals("question", text(LinkTest.receive(link)));
            assertEquals(SendResult.SENT, link.trySend(text("answer")));
            assertEquals("answer", text(LinkTest.receive(guest)));
        }
    }

    @Test
    void whatAGuestHasSentBeforeItLeftIsThereForTheHost() throws Exception {
        try (ShmHost host = ShmHost.create(directory, config().build())) {
            try (ShmLink guest = ShmGuest.connect(directory)) {
                guest.trySend(text("in a hurry"));
            }
            ShmLink link = nextGuest();
            assertEquals("in a hurry", text(LinkTest.receive(link)));
            assertNull(link.receive(LONG));
            link.close();
            assertTrue(host.peers().isEmpty());
        }
    }

    @Test
    void theHostSeesWhoComesAndDecidesOnTheLink() throws Exception {
        BlockingQueue<PeerCredentials> seen = new LinkedBlockingQueue<>();
        LinkConfig large = LinkConfig.builder().slots(5_056, 2).build();
        HostConfig deciding = config().linkFor(guest -> {
                    seen.add(guest);
                    return large;
                })
                .build();
        try (ShmHost host = ShmHost.create(directory, deciding);
                ShmLink guest = ShmGuest.connect(directory)) {
            assertEquals(5_056, guest.maxLength());
            PeerCredentials us = seen.remove();
            assertEquals(ProcessHandle.current().pid(), us.pid());
            assertEquals(Sys.get().processes().uid(), us.uid());
            assertEquals(5_056, nextGuest().maxLength());
            assertNotNull(host.peer(guest.peerId()));
        }
    }

    @Test
    void aGuestOnWhichTheHostCannotDecideIsToldSo() {
        List<UnaryOperator<HostConfig.Builder>> failing = List.of(
                builder -> builder.allow(guest -> {
                    throw new IllegalStateException("as this test wants it");
                }),
                builder -> builder.linkFor(guest -> {
                    throw new AssertionError("as this test wants it");
                }),
                builder -> builder.linkFor(guest -> nothing()));
        for (UnaryOperator<HostConfig.Builder> each : failing) {
            try (ShmHost host = ShmHost.create(directory, each.apply(config()).build())) {
                ConnectException refused = assertThrows(ConnectException.class, () -> ShmGuest.connect(directory));
                assertTrue(refused.toString().contains("has failed to decide on this guest"), refused::toString);
                assertTrue(host.peers().isEmpty());
            }
        }
    }

    @SuppressWarnings("NullAway") // as who knows nothing of it
    private static LinkConfig nothing() {
        return null;
    }

    @Test
    void aGuestThatIsNotAllowedIsToldSo() {
        HostConfig nobody = config().allow(guest -> false).build();
        try (ShmHost host = ShmHost.create(directory, nobody)) {
            ConnectException refused = assertThrows(ConnectException.class, () -> ShmGuest.connect(directory));
            assertTrue(refused.toString().contains("takes no guests of this user"), refused::toString);
            assertTrue(host.peers().isEmpty());
        }
    }

    @Test
    void aHandlerThatThrowsLosesItsGuestAndNoOther() throws Exception {
        BlockingQueue<Boolean> calls = new LinkedBlockingQueue<>();
        HostConfig throwing = config().onGuest((link, guest) -> {
                    calls.add(true);
                    if (calls.size() == 1) {
                        throw new IllegalStateException("not this one");
                    }
                    arrived.add(link);
                })
                .build();
        try (ShmHost host = ShmHost.create(directory, throwing);
                ShmLink first = ShmGuest.connect(directory)) {
            assertNull(first.receive(LONG));
            assertEquals(PeerState.GONE, first.peerState());
            try (ShmLink second = ShmGuest.connect(directory)) {
                assertEquals(second.peerId(), nextGuest().peerId());
                assertEquals(1, host.peers().size());
            }
        }
    }

    @Test
    void aHostThatHas255GuestsTellsTheNextOne() {
        HostConfig full = config().linkFor(guest -> SMALL).build();
        try (ShmHost host = ShmHost.create(directory, full)) {
            for (int i = 0; i < ShmHost.MAX_PEERS; i++) {
                host.addPeer(SMALL);
            }
            ConnectException refused = assertThrows(ConnectException.class, () -> ShmGuest.connect(directory));
            assertTrue(refused.toString().contains("it has 255"), refused::toString);
        }
    }

    // r[verify shm.attach.shortage]
    @Test
    void aGuestForWhichTheHostHasNoMemoryOrThreadIsToldSo() throws Exception {
        BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((where, error) -> errors.add(error))
                .build();
        Files.createDirectory(directory);
        try (EventLoop own = EventLoop.open(options).start();
                GuestDoor door = GuestDoor.open(
                        directory.resolve("socket"), config().loop(own).build(), link -> {
                            throw new OutOfMemoryError("as this test wants it");
                        })) {
            ConnectException refused = assertThrows(ConnectException.class, () -> ShmGuest.connect(directory));
            assertTrue(refused.toString().contains("is short of memory (ENOMEM)"), () -> refused + " by " + door);
            Throwable told = Objects.requireNonNull(errors.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "nothing told");
            assertTrue(told.toString().contains("pid=" + ProcessHandle.current().pid()), told::toString);
        }
    }

    @Test
    void aGuestThatIsTurnedAwayIsToldToTheErrorHandlerOfTheLoop() throws Exception {
        BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((where, error) -> errors.add(error))
                .build();
        try (EventLoop own = EventLoop.open(options).start();
                ShmHost host = ShmHost.create(directory, config().loop(own).build())) {
            for (int i = 0; i < ShmHost.MAX_PEERS; i++) {
                host.addPeer(SMALL);
            }
            ConnectException refused = assertThrows(ConnectException.class, () -> ShmGuest.connect(directory));
            assertTrue(refused.toString().contains("it has 255"), refused::toString);
            Throwable told = Objects.requireNonNull(errors.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "nothing told");
            String text = told.toString();
            assertTrue(text.contains("turned away") && text.contains("255 guests"), text);
            assertTrue(text.contains("pid=" + ProcessHandle.current().pid()), text);
            host.peers().forEach(ShmLink::close);
            try (ShmLink later = ShmGuest.connect(directory)) {
                assertTrue(later.isOpen());
            }
        }
    }

    @Test
    void aHandlerThatClosesItsHostEndsItAndIsNoError() throws Exception {
        BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((where, error) -> errors.add(error))
                .build();
        CompletableFuture<ShmHost> made = new CompletableFuture<>();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        try (EventLoop own = EventLoop.open(options).start()) {
            HostConfig closing = HostConfig.builder()
                    .loop(own)
                    .link(SMALL)
                    .onGuest((link, guest) -> {
                        made.getNow(null).close();
                        closed.complete(true);
                    })
                    .build();
            made.complete(ShmHost.create(directory, closing));
            try (ShmLink guest = ShmGuest.connect(directory)) {
                assertNull(guest.receive(LONG));
                assertTrue(closed.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            }
        }
        assertTrue(errors.isEmpty(), errors::toString);
    }

    @Test
    void aHostThatAnswersNobodyRunsIntoTheDeadlineOfItsGuest() throws Exception {
        EventLoop stuck = EventLoop.open();
        try (ShmHost host = ShmHost.create(directory, config().loop(stuck).build())) {
            assertToldLate(directory, SOON, "has not answered in time");
            assertTrue(host.peers().isEmpty());
        } finally {
            stuck.close();
        }
    }

    /** A guest is told this of a host that does not answer. One that stands still is not connected that soon. */
    static void assertToldLate(Path directory, Duration soon, String what) {
        Duration patience = soon;
        String told = late(directory, patience);
        while (!told.contains(what) && patience.compareTo(LIMIT) < 0) {
            patience = patience.multipliedBy(4);
            told = late(directory, patience);
        }
        assertTrue(told.contains(what), told);
    }

    private static String late(Path directory, Duration patience) {
        SocketTimeoutException late = assertThrows(
                SocketTimeoutException.class,
                () -> ShmGuest.connect(directory, patience).close());
        return late.toString();
    }

    @Test
    void aClosedHostHasNoGuestsAnyMore() throws Exception {
        ShmHost host = ShmHost.create(directory, config().build());
        try (ShmLink guest = ShmGuest.connect(directory)) {
            nextGuest();
            host.close();
            assertNull(guest.receive(LONG));
            assertEquals(PeerState.GONE, guest.peerState());
            assertThrows(IOException.class, () -> ShmGuest.connect(directory));
            assertThrows(ClosedException.class, () -> host.addPeer(SMALL));
            assertTrue(host.peers().isEmpty());
            host.close();
        }
    }

    // r[verify shm.link-word]
    @Test
    void aLinkWhoseGuestDoesNotComeInTimeIsOverForBothSides() throws Exception {
        HostConfig hasty = config().reserveFor(SOON).build();
        try (ShmHost host = ShmHost.create(hasty);
                PeerTicket ticket = host.addPeer(SMALL);
                DoorbellPair bells = Doorbell.pair()) {
            assertNull(ticket.link().receive(LONG));
            assertEquals(PeerState.GONE, ticket.link().peerState());
            assertEquals(SendResult.PEER_GONE, ticket.link().send(text("too late"), LONG));
            IllegalStateException late = assertThrows(
                    IllegalStateException.class,
                    () -> LinkPair.attach(ticket, bells.guest().fd()));
            assertTrue(late.toString().contains("no longer reserved"), late::toString);
        }
    }

    // r[verify shm.link-word]
    @Test
    void aGuestThatHasComeInTimeStays() throws Exception {
        HostConfig hasty = config().reserveFor(SOON).build();
        AtomicBoolean isThere = new AtomicBoolean();
        // As long as the loop waits here no time is over.
        loop.execute(() -> Deadline.after(LIMIT).await("the guest is there", isThere::get));
        try (ShmHost host = ShmHost.create(hasty);
                PeerTicket ticket = host.addPeer(SMALL);
                PeerTicket other = host.addPeer(SMALL)) {
            ShmLink guest = LinkPair.attach(ticket);
            isThere.set(true);
            Deadline.after(LIMIT)
                    .await("the later one is over", () -> other.link().peerState() == PeerState.GONE);
            assertEquals(PeerState.ATTACHED, ticket.link().peerState());
            assertNull(guest.receive(NO_TIME));
            guest.close();
        }
    }

    @Test
    void timesAndNumbersThatMakeNoSenseAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> HostConfig.builder().reserveFor(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> HostConfig.builder().pending(0));
        assertThrows(IllegalArgumentException.class, () -> HostConfig.builder().pending(2_000));
    }
}
