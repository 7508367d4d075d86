package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.LoadedClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL of one side, and what the other one learns of it. */
final class LinkDeathIT {
    private static final Duration LONG = LIMIT.multipliedBy(20);
    private static final LinkConfig SMALL = LinkConfig.builder().ring(8).build();
    private static final int BELL = 4;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private Child spawn(ShmHost host, PeerTicket ticket, Class<?> guest) {
        Spawn.Builder command = Spawn.command(ChildJvm.of(guest).command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
        return host.spawn(command, ticket, loop);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void aKilledGuestEndsAllWaitsOfItsHostAfterItsLastFrame() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            ShmLink link = ticket.link();
            Child child = spawn(host, ticket, Sender.class);
            assertEquals("first", LinkPair.text(LinkTest.receive(link)), this::output);
            while (link.trySend(text("x")) == SendResult.SENT) {
                assertEquals(1, link.stats().framesReceived());
            }
            Waiting<SendResult> sending = Waiting.on(() -> link.send(text("more"), LONG));
            sending.awaitAsleep();
            Deadline.after(LIMIT).await("it has sent", () -> output().contains("all sent"));
            assertTrue(child.kill());
            assertEquals(SendResult.PEER_GONE, sending.result());
            // Nobody has received meanwhile: what it had sent is still there.
            assertEquals("second", LinkPair.text(LinkTest.receive(link)));
            assertEquals("third", LinkPair.text(LinkTest.receive(link)));
            assertNull(link.receive(LONG));
            assertEquals(PeerState.DEAD, link.peerState());
            Futures.get(child.exit());
        }
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void aKilledGuestEndsTheWaitOnALoop() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            AsyncLink async = ticket.link().onLoop(loop);
            CompletableFuture<@Nullable Frame> first = async.receiveAsync();
            Child child = spawn(host, ticket, Sender.class);
            assertEquals("first", LinkPair.text(Futures.get(first)), this::output);
            assertEquals("second", LinkPair.text(Futures.get(async.receiveAsync())));
            assertEquals("third", LinkPair.text(Futures.get(async.receiveAsync())));
            CompletableFuture<@Nullable Frame> last = async.receiveAsync();
            assertTrue(child.kill());
            assertNull(Futures.get(last));
            assertEquals(PeerState.DEAD, ticket.link().peerState());
            Futures.get(child.exit());
        }
    }

    /** Its child has inherited the bell, which does not hang up then; the pidfd tells. */
    @Test
    void aKilledGuestIsDeadAlsoWhereAnotherProcessHasItsBell() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, Parent.class);
            Frame frame = LinkTest.receive(ticket.link());
            ProcessHandle heir = ProcessHandle.of(frame.id()).orElseThrow();
            try {
                Waiting<@Nullable Frame> receiving =
                        Waiting.on(() -> ticket.link().receive(LONG));
                receiving.awaitAsleep();
                assertTrue(child.kill());
                assertNull(receiving.result());
                assertEquals(PeerState.DEAD, ticket.link().peerState());
                assertTrue(heir.isAlive(), "it holds the bell");
            } finally {
                heir.destroyForcibly();
            }
            Futures.get(child.exit());
        }
    }

    // r[verify shm.wait.all-transitions]
    @Test
    void aKilledHostEndsTheWaitOfItsGuest() {
        try (ChildProcess host = ChildJvm.of(Host.class).args(folder.toString()).start()) {
            host.awaitLine("the guest waits", LIMIT);
            host.send("KILL");
            Deadline.after(LIMIT).await("the guest tells", () -> output().contains("the host is DEAD"));
            host.awaitExit(LIMIT);
        }
    }

    @Test
    void withoutADescriptorForTheWatchWaitsLookByThemselves() {
        ChildExit exit = ChildJvm.of(NoDescriptor.class).run(LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("DEAD null", "DEAD null"), exit.stdout(), exit::toString);
    }

    /** Sends three frames, and waits to be killed. */
    static final class Sender {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                for (String each : List.of("first", "second", "third")) {
                    link.trySend(text(each));
                }
                System.out.println("all sent");
                Thread.currentThread().join();
            }
        }
    }

    /** Hands its bell on. */
    static final class Parent {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment();
                    EventLoop own = EventLoop.open().start();
                    Child heir =
                            Spawn.command("sleep", "300").inherit(BELL, BELL).start(own)) {
                link.trySend(Frame.of(1, heir.pid(), LinkPair.bytes(0, 0)));
                Thread.currentThread().join();
            }
        }
    }

    /** Has a guest, and waits to be killed. */
    static final class Host {
        public static void main(String[] args) throws InterruptedException {
            try (ShmHost host = ShmHost.create()) {
                PeerTicket ticket = host.addPeer(SMALL);
                Spawn.Builder command = Spawn.command(ChildJvm.of(Guest.class).command())
                        .stdin(Stdio.nothing())
                        .stdout(Stdio.append(Path.of(args[0], "out")))
                        .stderr(Stdio.append(Path.of(args[0], "out")));
                host.spawn(command, ticket);
                LinkTest.receive(ticket.link());
                System.out.println("the guest waits");
                Thread.currentThread().join();
            }
        }
    }

    /** Waits for its host. */
    static final class Guest {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                link.trySend(text("here"));
                Frame none = link.receive(LONG);
                System.out.println(none + ": the host is " + link.peerState());
            }
        }
    }

    /** A thread, and then a loop, wait where no descriptor is left to watch with. */
    static final class NoDescriptor {
        private static final int RLIMIT_NOFILE = 7;

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(LinkDeathIT.class, ShmHost.class, EventLoop.class);
            try (EventLoop loop = EventLoop.open().start()) {
                wait(loop, false, 0);
                wait(loop, true, 0);
                wait(loop, false, 3);
                wait(loop, true, 3);
            }
            System.exit(0);
        }

        /** First with descriptors. */
        private static void wait(EventLoop loop, boolean onLoop, long most) throws Exception {
            Sys sys = Sys.get();
            Limit before = sys.processes().limit(RLIMIT_NOFILE);
            try (BareLink links = new BareLink()) {
                if (most > 0) {
                    sys.processes().setLimit(RLIMIT_NOFILE, new Limit(most, before.hard()));
                }
                CompletableFuture<?> waiting = onLoop
                        ? links.host.onLoop(loop).receiveAsync()
                        : CompletableFuture.supplyAsync(() -> receive(links.host));
                CompletableFuture<Boolean> later = new CompletableFuture<>();
                loop.schedule(Duration.ofMillis(50), () -> later.complete(true));
                Futures.get(later);
                links.tearOut(LinkMemory.Side.GUEST);
                Object received = Futures.get(waiting);
                sys.processes().setLimit(RLIMIT_NOFILE, before);
                if (most > 0) {
                    System.out.println(links.host.peerState() + " " + received);
                }
            }
        }

        private static @Nullable Frame receive(ShmLink link) {
            try {
                return link.receive(LONG);
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
        }
    }
}
