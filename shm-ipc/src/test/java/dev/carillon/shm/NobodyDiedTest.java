package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.io.PassedDescriptor;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that end before a guest has attached: of these no death is told, but of what the host has spawned. */
// r[verify shm.death.told]
final class NobodyDiedTest {
    private static final int TIMES = 20;
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).withoutSlots().build();

    private final List<PeerDeath> told = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    /** What was noticed before is told before. */
    private void assertOnlyThisOneIsTold(ShmHost host) {
        PeerTicket ticket = host.addPeer(SMALL);
        Child child = host.spawn(Spawn.command("false"), ticket);
        Futures.get(child.exit());
        Deadline.after(LIMIT).await("the death of the child is told", () -> !told.isEmpty());
        assertEquals(List.of(child.pid()), told.stream().map(PeerDeath::pid).toList());
        assertEquals(PeerState.DEAD, ticket.link().peerState());
    }

    @Test
    void aTicketThatIsClosedUnusedWasNobody() {
        try (ShmHost host = ShmHost.create()) {
            host.onPeerDeath(told::add);
            List<ShmLink> links = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                PeerTicket ticket = host.addPeer(SMALL);
                ticket.close();
                links.add(ticket.link());
                if (i % 2 == 0) {
                    ticket.link().close();
                }
            }
            for (ShmLink link : links) {
                Deadline.after(LIMIT).await("its peer is gone", () -> link.peerState() == PeerState.GONE);
            }
            assertOnlyThisOneIsTold(host);
        }
    }

    @Test
    void aClientThatTakesItsDescriptorsAndHangsUpWasNoGuest() throws Exception {
        Path directory = folder.resolve("host");
        HostConfig config = HostConfig.builder()
                .link(SMALL)
                .onGuest((link, guest) -> link.close())
                .build();
        try (ShmHost host = ShmHost.create(directory, config)) {
            host.onPeerDeath(told::add);
            for (int i = 0; i < TIMES; i++) {
                try (HostConnection connection =
                        HostConnection.to(directory, LIMIT, System.nanoTime() + LIMIT.toNanos())) {
                    connection.receive().forEach(PassedDescriptor::close);
                }
            }
            Deadline.after(LIMIT).await("all have gone", () -> host.peers().isEmpty());
            assertOnlyThisOneIsTold(host);
        }
    }
}
