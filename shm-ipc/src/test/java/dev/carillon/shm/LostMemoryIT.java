package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the memory of a link is lost, the link has failed on both sides; dead is who has ended, and nobody else. */
// r[verify shm.lost-memory]
final class LostMemoryIT {
    private static final LinkConfig SMALL = LinkConfig.builder().ring(8).build();

    /** Longer than a child may run on that has only let go of its bell. */
    private static final int QUIET_SECONDS = 2;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final BlockingQueue<PeerDeath> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private Path directory() {
        return folder.resolve("host");
    }

    private ShmHost host() {
        HostConfig.Builder config =
                HostConfig.builder().loop(loop).link(SMALL).inFiles().onGuest((link, guest) -> arrived.add(link));
        ShmHost host = ShmHost.create(directory(), config.build());
        host.onPeerDeath(told::add);
        return host;
    }

    private ShmLink next(Object guest) throws InterruptedException {
        ShmLink link = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guest::toString);
        awaitWatched(link);
        return link;
    }

    private static void awaitWatched(ShmLink link) {
        Deadline.after(LIMIT)
                .await("it is watched", () -> link.hasGuest() && link.peer().isWatched());
    }

    private static void truncate(Path directory) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("link-1").toFile(), "rw")) {
            file.setLength(0);
        }
    }

    private ChildProcess guest() {
        return ChildJvm.of(Guest.class).args(directory().toString()).start();
    }

    private static String read(Path out) {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From the first look on. */
    private static void assertFailed(ShmLink link) {
        for (int i = 0; i < 3; i++) {
            assertEquals(PeerState.GONE, link.peerState());
            assertTold(link.failure());
        }
    }

    private static void assertTold(@Nullable Throwable failure) {
        assertTrue(String.valueOf(failure).contains("TRUNCATED"), () -> "told: " + failure);
    }

    private PeerDeath death() throws InterruptedException {
        return Objects.requireNonNull(told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "no death was told");
    }

    @Test
    void aGuestThatLetsGoOfALostLinkIsDeadWhenItsProcessIsGone() throws Exception {
        try (ShmHost host = host();
                ChildProcess guest = guest()) {
            ShmLink link = next(guest);
            truncate(directory());
            guest.awaitLine("let go", LIMIT);
            Deadline.after(LIMIT).await("its bell has hung up", () -> link.peerState() != PeerState.ATTACHED);
            assertFailed(link);
            assertNull(told.poll(QUIET_SECONDS, TimeUnit.SECONDS));
            guest.send("KILL");
            assertEquals(new PeerDeath(link, (int) guest.pid(), 1), death());
            assertFailed(link);
            guest.awaitExit(LIMIT);
            assertTrue(told.isEmpty(), told::toString);
            assertEquals(1, host.peers().size());
        }
    }

    /** It has lost its bell for a good reason. */
    @Test
    void aSpawnedGuestThatLetsGoOfALostLinkIsNotKilled() throws Exception {
        Path out = folder.resolve("out");
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(SMALL);
            Spawn.Builder command = Spawn.command(ChildJvm.of(Guest.class).command())
                    .stdin(Stdio.nothing())
                    .stdout(Stdio.append(out))
                    .stderr(Stdio.append(out));
            Child child = host.spawn(command, ticket, loop);
            // It has a pid for its host before it has all that it needs.
            Deadline.after(LIMIT).await("it has attached", () -> ticket.link().poll(frame -> {}, 1) == 1);
            awaitWatched(ticket.link());
            truncate(directory());
            Deadline.after(LIMIT).await("it has let go", () -> read(out).contains("let go"));
            assertNull(told.poll(QUIET_SECONDS, TimeUnit.SECONDS));
            assertTrue(child.isAlive());
            assertFailed(ticket.link());
            child.kill();
            assertEquals(new PeerDeath(ticket.link(), child.pid(), 1), death());
            Futures.get(child.exit());
        }
    }

    @Test
    void nobodyIsToldOfAProcessWhoseLostLinkWasClosed() throws Exception {
        try (ShmHost host = host();
                ChildProcess guest = guest()) {
            ShmLink link = next(guest);
            truncate(directory());
            guest.awaitLine("let go", LIMIT);
            Deadline.after(LIMIT).await("it is over", () -> link.peerState().isOver());
            link.close();
            assertTold(link.failure());
            guest.send("KILL");
            guest.awaitExit(LIMIT);
            assertNull(told.poll(QUIET_SECONDS, TimeUnit.SECONDS));
            assertTrue(host.peers().isEmpty());
        }
    }

    @Test
    void aGuestThatDiedBeforeStaysDead() throws Exception {
        try (ShmHost host = host();
                ChildProcess guest = guest()) {
            ShmLink link = next(guest);
            guest.send("KILL");
            assertEquals(guest.pid(), death().pid());
            assertEquals(PeerState.DEAD, link.peerState());
            truncate(directory());
            assertTold(assertThrows(IllegalStateException.class, () -> link.receive(LIMIT)));
            assertTold(link.failure());
            assertEquals(PeerState.DEAD, link.peerState());
            guest.awaitExit(LIMIT);
            assertEquals(1, host.peers().size());
        }
    }

    @Test
    void aGuestThatIsKilledWithItsMemoryIsTold() throws Exception {
        try (ShmHost host = host();
                ChildProcess guest = guest()) {
            ShmLink link = next(guest);
            guest.send("STOP");
            truncate(directory());
            guest.send("KILL");
            assertEquals(new PeerDeath(link, (int) guest.pid(), 1), death());
            assertFailed(link);
            guest.awaitExit(LIMIT);
            assertEquals(1, host.peers().size());
        }
    }

    @Test
    void aHostThatLetsGoOfALostLinkIsNotDeadForItsGuest() throws Exception {
        try (ChildProcess host =
                ChildJvm.of(Host.class).args(directory().toString()).start()) {
            host.awaitLine("here", LIMIT);
            try (ShmLink link = ShmGuest.connect(directory(), LIMIT)) {
                host.awaitLine("guest", LIMIT);
                truncate(directory());
                host.awaitLine("let go", LIMIT);
                Deadline.after(LIMIT).await("its bell has hung up", () -> link.peerState() != PeerState.ATTACHED);
                assertFailed(link);
                host.send("KILL");
                host.awaitExit(LIMIT);
                assertFailed(link);
            }
        }
    }

    /** Lets go of a link that has failed, and goes on. */
    private static void letGo(ShmLink link) throws InterruptedException {
        try (link) {
            link.trySend(LinkPair.text("attached"));
            System.out.println(link.receive(LONG));
        } catch (IllegalStateException lost) {
            System.out.println(lost);
        }
        System.out.println("let go");
    }

    static final class Guest {
        public static void main(String[] args) throws Exception {
            letGo(args.length == 0 ? ShmGuest.attachFromEnvironment() : ShmGuest.connect(Path.of(args[0]), LIMIT));
            Thread.currentThread().join();
        }
    }

    static final class Host {
        public static void main(String[] args) throws Exception {
            BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
            HostConfig config = HostConfig.builder()
                    .link(SMALL)
                    .inFiles()
                    .onGuest((link, guest) -> arrived.add(link))
                    .build();
            try (ShmHost host = ShmHost.create(Path.of(args[0]), config)) {
                System.out.println("here");
                ShmLink link = arrived.take();
                System.out.println("guest");
                letGo(link);
                Thread.currentThread().join();
                System.out.println(host);
            }
        }
    }
}
