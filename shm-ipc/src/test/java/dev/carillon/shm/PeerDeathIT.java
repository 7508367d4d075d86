package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host is told of guests that die. */
// r[verify shm.death.told]
final class PeerDeathIT {
    private static final LinkConfig SMALL = LinkConfig.builder().ring(8).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private HostConfig.Builder config() {
        return HostConfig.builder().loop(loop).link(SMALL);
    }

    private void noteDeath(PeerDeath death) {
        assertTrue(loop.inLoop());
        deaths.add(death);
    }

    private PeerDeath nextDeath() throws InterruptedException {
        return Objects.requireNonNull(deaths.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "no death was told");
    }

    private Child spawn(ShmHost host, PeerTicket ticket, Class<?> guest) {
        Spawn.Builder command = Spawn.command(ChildJvm.of(guest).command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
        return host.spawn(command, ticket, loop);
    }

    /** Looks without a wait, which would have the link watched. */
    private static void awaitFrame(ShmLink link) {
        Deadline.after(LIMIT).await("the guest has sent", () -> link.poll(frame -> {}, 1) > 0);
    }

    @Test
    void aKilledGuestIsToldOnceOnTheLoopOfTheHostAlthoughNobodyWaits() throws Exception {
        EventLoop.shared();
        int before = Descriptors.count();
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::noteDeath);
            for (int i = 0; i < 2; i++) {
                PeerTicket ticket = host.addPeer(SMALL);
                ShmLink link = ticket.link();
                Child child = spawn(host, ticket, Sender.class);
                awaitFrame(link);
                long killed = System.nanoTime();
                assertTrue(child.kill());
                PeerDeath death = nextDeath();
                System.out.println("told after " + (System.nanoTime() - killed) / 1_000 + " us");
                assertSame(link, death.link());
                assertEquals(child.pid(), death.pid());
                assertEquals(1, death.incarnation());
                assertEquals(PeerState.DEAD, link.peerState());
                // What it had sent is there, and then nothing.
                assertEquals("second", LinkPair.text(LinkTest.receive(link)));
                assertNull(link.receive(LIMIT));
                link.close();
                Futures.get(child.exit());
            }
            assertTrue(deaths.isEmpty(), deaths::toString);
        }
        Deadline.after(LIMIT).await("nothing stays open", () -> Descriptors.count() <= before);
    }

    @Test
    void aGoodbyeIsNoDeathAndAHandlerThatComesLaterIsToldOfDeathsBefore() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            PeerTicket polite = host.addPeer(SMALL);
            PeerTicket killed = host.addPeer(SMALL);
            Futures.get(spawn(host, polite, Polite.class).exit());
            Child child = spawn(host, killed, Sender.class);
            awaitFrame(killed.link());
            assertTrue(child.kill());
            Futures.get(child.exit());
            Deadline.after(LIMIT).await("it is dead", () -> killed.link().peerState() == PeerState.DEAD);
            host.onPeerDeath(this::noteDeath);
            assertSame(killed.link(), nextDeath().link());
            assertEquals(PeerState.GONE, polite.link().peerState());
            IllegalStateException second =
                    assertThrows(IllegalStateException.class, () -> host.onPeerDeath(this::noteDeath));
            assertTrue(second.toString().contains("tells a handler already"), second::toString);
            // Another death comes after whatever the first two have told.
            PeerTicket last = host.addPeer(SMALL);
            Child other = spawn(host, last, Sender.class);
            awaitFrame(last.link());
            assertTrue(other.kill());
            assertSame(last.link(), nextDeath().link());
            Futures.get(other.exit());
            assertTrue(deaths.isEmpty(), deaths::toString);
        }
    }

    @Test
    void aClosedHostTellsNobodyAndTakesNoHandler() throws Exception {
        ShmHost host = ShmHost.create(config().build());
        host.onPeerDeath(this::noteDeath);
        PeerTicket ticket = host.addPeer(SMALL);
        Child child = spawn(host, ticket, Sender.class);
        awaitFrame(ticket.link());
        host.close();
        child.kill();
        Futures.get(child.exit());
        assertThrows(ClosedException.class, () -> host.onPeerDeath(this::noteDeath));
        assertTrue(deaths.isEmpty(), deaths::toString);
    }

    /**
     * It names another process in the link word, and a heir keeps its bell. The end of that other process is no death, and its
     * own is one: the host believes the kernel.
     */
    @Test
    void aGuestThatNamesAnotherProcessAsItsOwnDeceivesNobody() throws Exception {
        Path directory = folder.resolve("host");
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig config = config().onGuest((link, guest) -> arrived.add(link)).build();
        try (ShmHost host = ShmHost.create(directory, config);
                ChildProcess named = ChildCommand.of("sleep", "300").start()) {
            host.onPeerDeath(this::noteDeath);
            try (ChildProcess liar = ChildJvm.of(Liar.class)
                    .args(directory.toString(), Long.toString(named.pid()))
                    .start()) {
                ShmLink link =
                        Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), liar::toString);
                long heir = LinkTest.receive(link).id();
                Waiting<Frame> receiving = Waiting.on(() -> LinkTest.receive(link));
                receiving.awaitAsleep();
                Deadline.after(LIMIT).await("it is watched", () -> link.peer().isWatched());
                named.send("KILL");
                named.awaitExit(LIMIT);
                liar.writeLine("go on");
                assertEquals("still here", text(receiving.result()));
                assertEquals(PeerState.ATTACHED, link.peerState());
                assertTrue(deaths.isEmpty(), deaths::toString);
                liar.send("KILL");
                PeerDeath death = nextDeath();
                assertSame(link, death.link());
                assertEquals(liar.pid(), death.pid());
                assertTrue(ProcessHandle.of(heir).orElseThrow().isAlive(), "it holds the bell");
                assertTrue(ProcessHandle.of(heir).orElseThrow().destroyForcibly());
                liar.awaitExit(LIMIT);
            }
        }
    }

    private static String text(Frame frame) {
        return LinkPair.text(frame);
    }

    // r[verify shm.link-word]
    @Test
    void anIdThatIsUsedAgainHasTheNextIncarnation() {
        try (ShmHost host = ShmHost.create(config().build())) {
            for (int i = 0; i <= ShmHost.MAX_PEERS; i++) {
                PeerTicket ticket = host.addPeer(SMALL);
                try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_ONLY)) {
                    long word = memory.bytes().getLongAcquire(SegmentLayout.LINK_WORD);
                    assertEquals(i < ShmHost.MAX_PEERS ? 1 : 2, LinkWord.incarnation(word));
                    assertEquals(i % ShmHost.MAX_PEERS + 1, ticket.link().peerId());
                }
                ticket.close();
                ticket.link().close();
            }
            assertFalse(host.peers().size() > 0);
        }
    }

    /** Sends two frames, and waits to be killed. */
    static final class Sender {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                link.sendBatch(2, (i, frame) -> {
                    byte[] bytes = (i == 0 ? "first" : "second").getBytes(java.nio.charset.StandardCharsets.UTF_8);
                    boolean begun = frame.begin(1, 0, i, bytes.length);
                    frame.put(0, bytes, 0, bytes.length);
                    return begun;
                });
                Thread.currentThread().join();
            }
        }
    }

    static final class Polite {
        public static void main(String[] args) {
            ShmGuest.attachFromEnvironment().close();
        }
    }

    /** Attaches as another process, hands its bell on, and says something when it is told to. */
    static final class Liar {
        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            HostConnection host = HostConnection.to(directory, LIMIT, Long.MAX_VALUE);
            try (EventLoop own = EventLoop.open().start()) {
                List<PassedDescriptor> received = host.receive();
                MemoryRegion region = MemoryRegion.ofDescriptor(received.get(0).detach(), Access.READ_WRITE);
                Doorbell bell = Doorbell.adopt(received.get(1).detach());
                LinkMemory memory = LinkMemory.open(region);
                ShmLink link = new ShmLink(memory, LinkMemory.Side.GUEST, bell);
                memory.status(LinkMemory.Side.GUEST).attach(Integer.parseInt(args[1]));
                bell.ring();
                Child heir = Spawn.command("sleep", "300").inherit(bell.fd(), 4).start(own);
                link.send(Frame.of(1, heir.pid(), LinkPair.bytes(0, 0)), LIMIT);
                host.close();
                int told = System.in.read();
                link.send(LinkPair.text("still here"), LIMIT);
                System.out.println("told " + told);
                Thread.currentThread().join();
            }
        }
    }
}
