package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host in Java with guests in C, which have nothing of ours but headers. */
final class GuestInCIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final long FRAMES = 1_000_000;
    private static final long SOME = STRESS ? 100_000 : 3_000;
    private static final int KILLS = STRESS ? 100 : 6;

    /** Waits for entries and for slots are frequent. */
    private static final LinkConfig NARROW = LinkConfig.builder()
            .ring(4)
            .slots(1_024, 2)
            .slots(16_384, 1)
            .slots(256 * 1_024, 1)
            .build();

    @TempDir
    private static Path shared;

    private static GuestInC guest = new GuestInC(Path.of("never"), Path.of("never"));

    private final EventLoop loop = EventLoop.open().start();

    @BeforeAll
    static void compile() {
        guest = GuestInC.compile(shared);
    }

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private ShmHost host() {
        return ShmHost.create(HostConfig.builder().loop(loop).build());
    }

    private static void awaitAttached(ShmLink link) {
        Deadline.after(LIMIT).await("the guest has attached", () -> link.peerState() == PeerState.ATTACHED);
    }

    // r[verify shm.header] r[verify shm.descriptor] r[verify shm.slot] r[verify shm.slot.classes]
    @Test
    void itSendsBackFramesOfAllLengths() throws Exception {
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            Child child = guest.spawn(host, ticket, loop);
            long start = System.nanoTime();
            MixedFrames.exchange(ticket.link(), 0, FRAMES);
            System.out.println(FRAMES + " frames there and back in " + (System.nanoTime() - start) / 1_000_000 + " ms");
            ticket.link().close();
            String end = guest.end(child);
            assertTrue(end.startsWith("exit code 0\nattached as guest 1 with mappings +1\n"), end);
            assertTrue(end.endsWith("the host has said goodbye after " + FRAMES + " frames, with mappings +0\n"), end);
        }
    }

    // r[verify shm.wakeup.producer-wait] r[verify shm.wakeup.consumer-wait] r[verify shm.wakeup.slot-wait]
    @Test
    void bothSidesSleepOnFutexesForFramesEntriesAndSlots() throws Exception {
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(NARROW);
            Child child = guest.spawn(host, ticket, loop);
            MixedFrames.exchange(ticket.link(), 0, SOME);
            ticket.link().close();
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
        }
    }

    // r[verify shm.wait.sleep-word] r[verify shm.doorbell.ring-integration]
    @Test
    void itRingsAHostThatListensOnALoop() throws Exception {
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(NARROW);
            Child child = guest.spawn(host, ticket, loop);
            AsyncLink link = ticket.link().onLoop(loop);
            Waiting<Long> sending = Waiting.on(() -> {
                long id = 0;
                while (id < SOME && Futures.get(link.sendAsync(MixedFrames.frame(id))) == SendResult.SENT) {
                    id++;
                }
                return id;
            });
            for (long id = 0; id < SOME; id++) {
                MixedFrames.check(Objects.requireNonNull(Futures.get(link.receiveAsync()), guest::output), id);
            }
            assertEquals(SOME, sending.result());
            ticket.link().close();
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
        }
    }

    /** Killed in the midst: what it has published is received, whole and in order, and nothing else. */
    // r[verify shm.death.told]
    @Test
    void oneThatIsKilledIsToldAndReplaced(@Seeded SplittableRandom random) throws Exception {
        EventLoop.shared();
        int before = Descriptors.count();
        BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();
        try (ShmHost host = host()) {
            host.onPeerDeath(deaths::add);
            for (int i = 0; i < KILLS; i++) {
                PeerTicket ticket = host.addPeer(i % 2 == 0 ? LinkConfig.defaults() : NARROW);
                ShmLink link = ticket.link();
                try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_ONLY)) {
                    Child child = guest.spawn(host, ticket, loop);
                    Waiting<Long> sending = Waiting.on(() -> MixedFrames.send(link, 0, Long.MAX_VALUE));
                    long some = random.nextInt(3_000);
                    assertEquals(some, MixedFrames.receive(link, 0, some), guest::output);
                    assertTrue(child.kill());
                    long all = some + MixedFrames.receive(link, some, Long.MAX_VALUE);
                    assertEquals(memory.bytes().getLongAcquire(layout(i).head()), all, "as many as it has published");
                    assertTrue(sending.result() >= all);
                    PeerDeath death =
                            Objects.requireNonNull(deaths.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "not told");
                    assertSame(link, death.link());
                    assertEquals(child.pid(), death.pid());
                    assertEquals(PeerState.DEAD, link.peerState());
                    assertNull(link.receive(LONG));
                    Futures.get(child.exit());
                }
                link.close();
            }
            PeerTicket last = host.addPeer(LinkConfig.defaults());
            Child child = guest.spawn(host, last, loop, "100");
            MixedFrames.exchange(last.link(), 0, 100);
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
            assertTrue(deaths.isEmpty(), deaths::toString);
        }
        Deadline.after(LIMIT).await("nothing stays open", () -> Descriptors.count() <= before);
        assertEquals(Set.of(), mappings(), "nothing stays mapped");
    }

    private static DirectionLayout layout(int turn) {
        return (turn % 2 == 0 ? LinkConfig.defaults() : NARROW).layout().toHost();
    }

    private static Set<String> mappings() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("carillon-link")).collect(Collectors.toSet());
        }
    }

    // r[verify shm.detach]
    @Test
    void itsGoodbyeIsReceivedAfterItsLastFrameAndIsNoDeath() throws Exception {
        BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();
        try (ShmHost host = host()) {
            host.onPeerDeath(deaths::add);
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            ShmLink link = ticket.link();
            // All of them are there before the guest comes: it leaves after the fiftieth.
            assertEquals(60, MixedFrames.send(link, 0, 60));
            Child child = guest.spawn(host, ticket, loop, "50");
            assertEquals(50, MixedFrames.receive(link, 0, Long.MAX_VALUE));
            assertEquals(PeerState.GONE, link.peerState());
            assertEquals(SendResult.PEER_GONE, link.trySend(MixedFrames.frame(60)));
            String end = guest.end(child);
            assertTrue(end.startsWith("exit code 0\n"), end);
            assertTrue(end.endsWith("goodbye after 50 frames, with mappings +0\n"), end);
            // The loop has seen its bell hang up by now, or will; a death after that would be told before this is run.
            link.close();
            CompletableFuture<Boolean> after = new CompletableFuture<>();
            loop.execute(() -> after.complete(true));
            Futures.get(after);
            assertTrue(deaths.isEmpty(), deaths::toString);
        }
    }

    @Test
    void itHasItsBellAndNoOtherDescriptorOfTheLink() throws Exception {
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            Child child = guest.spawn(host, ticket, loop);
            awaitAttached(ticket.link());
            // It attaches first, and closes the one of the memory then.
            Deadline.after(LIMIT)
                    .await(
                            "it has 0, 1, 2 and 4",
                            () -> Set.of("0", "1", "2", "4").equals(descriptorsOf(child.pid())));
            ticket.link().close();
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
        }
    }

    private static Set<String> descriptorsOf(int pid) {
        try (Stream<Path> numbers = Files.list(Path.of("/proc", Integer.toString(pid), "fd"))) {
            return numbers.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // r[verify shm.death]
    @Test
    void itNoticesThatItsHostWasKilled() {
        try (ChildProcess host = ChildJvm.of(Host.class)
                .args(guest.program().toString(), shared.toString())
                .start()) {
            host.awaitLine("a frame came back", LIMIT);
            host.send("KILL");
            host.awaitExit(LIMIT);
            Deadline.after(LIMIT)
                    .await(
                            "the guest says so",
                            () -> guest.output()
                                    .endsWith(
                                            "the host has died: nobody has its end of the bell any more after 1 frames,"
                                                    + " with mappings +0\n"));
        }
    }

    /** More often than there are numbers for channels. */
    // r[verify shm.channel]
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itRefusesChannelsAndGoesOnSendingFramesBack(boolean narrow) throws Exception {
        try (ShmHost host = host()) {
            PeerTicket ticket = host.addPeer(narrow ? NARROW : LinkConfig.defaults());
            ShmLink link = ticket.link();
            Child child = guest.spawn(host, ticket, loop);
            for (int i = 0; i < 300; i++) {
                ShmChannel channel = link.openChannel();
                assertEquals(CreditResult.RESET, channel.awaitCredit(1, LONG));
                if (i % 3 == 0) {
                    MixedFrames.exchange(link, 0, 3);
                }
            }
            ShmChannel closed = link.openChannel();
            closed.close();
            MixedFrames.exchange(link, 0, 100);
            link.close();
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
        }
    }

    /** Has a guest, and waits to be killed. */
    static final class Host {
        public static void main(String[] args) throws Exception {
            GuestInC guest = new GuestInC(Path.of(args[0]), Path.of(args[1]));
            try (EventLoop loop = EventLoop.open().start();
                    ShmHost host = ShmHost.create()) {
                PeerTicket ticket = host.addPeer(LinkConfig.defaults());
                guest.spawn(host, ticket, loop);
                MixedFrames.exchange(ticket.link(), 0, 1);
                System.out.println("a frame came back");
                Thread.currentThread().join();
            }
        }
    }
}
