package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.process.Spawn;
import dev.carillon.process.SpawnException;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
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
        Deadline.after(Duration.ofSeconds(5))
                .await("tickets are closed", () -> Descriptors.count() - before < TICKETS / 2);
    }

    @Test
    void theyGoWithTheirHost() {
        assertNothingIsLeft(host -> host.addPeer(SMALL));
    }

    @Test
    void theyGoWithTheirLinks() {
        assertNothingIsLeft(host -> host.addPeer(SMALL).link().close());
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
            Deadline.after(Duration.ofSeconds(5))
                    .await(
                            "two descriptors are left of each",
                            () -> Descriptors.count() - before < 2 * TICKETS + TICKETS / 2);
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
