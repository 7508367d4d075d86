package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Spawn;
import dev.carillon.process.SpawnException;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tickets that nobody closes: they go with their links, and with the time to attach. */
// r[verify shm.attach.own-descriptors]
final class UnusedTicketTest {
    private static final int TICKETS = 20;
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).withoutSlots().build();

    private static void assertNothingIsLeft(Consumer<ShmHost> use) {
        try (ShmHost warm = ShmHost.create()) {
            use.accept(warm);
        }
        int before = Descriptors.count();
        try (ShmHost host = ShmHost.create()) {
            for (int i = 0; i < TICKETS; i++) {
                use.accept(host);
            }
        }
        Deadline.after(LIMIT).await("tickets are closed", () -> Descriptors.count() - before < TICKETS / 2);
    }

    @Test
    void theyGoWithTheirHost() {
        assertNothingIsLeft(host -> host.addPeer(SMALL));
    }

    @Test
    void theyGoWithTheirLinks() {
        assertNothingIsLeft(host -> host.addPeer(SMALL).link().close());
    }

    /** Nor does the time to attach keep what is left of a link: many guests may come and go in it. */
    @Test
    void theirTimesGoWithTheirLinks() {
        try (EventLoop loop = EventLoop.open().start();
                ShmHost host = ShmHost.create(HostConfig.builder()
                        .loop(loop)
                        .reserveFor(Duration.ofHours(1))
                        .build())) {
            for (int i = 0; i < 20 * TICKETS; i++) {
                host.addPeer(SMALL).link().close();
            }
            // After all that it has been asked for so far.
            long pending =
                    Futures.get(CompletableFuture.supplyAsync(() -> loop.stats().pendingTimers(), loop));
            assertTrue(pending < 10 * TICKETS, () -> pending + " timers are pending");
        }
    }

    @Test
    void aSpawnThatFailsLeavesItsTicketToTheLink() {
        assertNothingIsLeft(host -> {
            PeerTicket ticket = host.addPeer(SMALL);
            assertThrows(SpawnException.class, () -> host.spawn(Spawn.command("/no/such/program"), ticket));
        });
    }

    /** Memory and the host's end of the bell stay until the link is closed. */
    @Test
    void theyGoWhenTheTimeToAttachIsOver() throws Exception {
        HostConfig hasty =
                HostConfig.builder().reserveFor(Duration.ofMillis(50)).build();
        try (ShmHost host = ShmHost.create(hasty)) {
            int before = Descriptors.count();
            for (int i = 0; i < TICKETS; i++) {
                PeerTicket ticket = host.addPeer(SMALL);
                assertEquals(0, ticket.link().stats().framesSent());
            }
            Deadline.after(LIMIT)
                    .await(
                            "their time is over",
                            () -> host.peers().stream()
                                    .allMatch(link -> link.peerState().isOver()));
            Deadline.after(LIMIT)
                    .await(
                            "two descriptors are left of each",
                            () -> Descriptors.count() - before < 2 * TICKETS + TICKETS / 2);
        }
    }

    /** Both look at one state: the end of the time, and the spawn. */
    // r[verify shm.link-word]
    @Test
    void aTicketWhoseLinkIsOverStartsNoGuest() throws Exception {
        HostConfig hasty =
                HostConfig.builder().reserveFor(Duration.ofMillis(20)).build();
        try (ShmHost host = ShmHost.create(hasty)) {
            for (int i = 0; i < 2 * TICKETS; i++) {
                PeerTicket ticket = host.addPeer(SMALL);
                assertNull(ticket.link().receive(LIMIT));
                assertThrows(ClosedException.class, () -> host.spawn(Spawn.command("true"), ticket));
                ticket.link().close();
            }
        }
    }

    // r[verify shm.link-word]
    @Test
    void aGuestThatIsBeingStartedDoesNotLoseItsTime() throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                ShmHost host = ShmHost.create();
                DoorbellPair bells = Doorbell.pair()) {
            ShmLink link = host.addPeer(SMALL).link();
            Duration time = Duration.ofMillis(20);
            // The time is not over before the pause, however long this thread takes.
            CompletableFuture<Boolean> mayGoOn = new CompletableFuture<>();
            CompletableFuture<Boolean> stands = new CompletableFuture<>();
            loop.execute(() -> {
                stands.complete(true);
                mayGoOn.join();
            });
            Reservation reservation;
            try {
                assertTrue(Futures.get(stands));
                reservation = new Reservation(loop, time, link, bells.guest());
                assertTrue(reservation.pause());
            } finally {
                mayGoOn.complete(true);
            }
            assertFalse(reservation.pause(), "two guests with one ticket");
            // A timer that is due later runs later.
            CompletableFuture<Boolean> due = new CompletableFuture<>();
            loop.schedule(time, () -> due.complete(true));
            assertTrue(Futures.get(due));
            assertEquals(PeerState.EXPECTED, link.peerState());
            // It was not started: now the time is over.
            reservation.goOn();
            assertTrue(link.peerState().isOver());
            assertFalse(reservation.pause());
        }
    }

    @Test
    void aTicketWhoseSpawnHasFailedCanBeUsedAgainAndSoCanTheCommand() {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            Spawn.Builder nothing = Spawn.command("/no/such/program");
            assertThrows(SpawnException.class, () -> host.spawn(nothing, ticket));
            assertThrows(SpawnException.class, () -> host.spawn(nothing, ticket));
        }
    }
}
