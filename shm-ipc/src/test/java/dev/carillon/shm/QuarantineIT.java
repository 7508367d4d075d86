package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest that loses its bell ends its link at once, and is told as dead when its process is gone. */
// r[verify shm.death]
final class QuarantineIT {
    private static final LinkConfig SMALL = LinkConfig.builder().ring(8).build();
    private static final int OWN_CODE = 7;
    private static final int KILLED = 137;

    /** A child has it to end by itself. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    /** What was told, and whether the process was there then. */
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();

    private record Told(PeerDeath death, boolean isAlive) {}

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private HostConfig.Builder config() {
        return HostConfig.builder().loop(loop).link(SMALL);
    }

    private void note(PeerDeath death) {
        told.add(new Told(death, isAlive(death.pid())));
    }

    /** A process that nobody has waited for has ended all the same. */
    private static boolean isAlive(int pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }

    private Told next() throws InterruptedException {
        return Objects.requireNonNull(told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "no death was told");
    }

    private Child spawn(ShmHost host, PeerTicket ticket, String what) {
        return spawn(host, ticket, Deaf.class, what);
    }

    private Child spawn(ShmHost host, PeerTicket ticket, Class<?> guest, String... args) {
        Spawn.Builder command = Spawn.command(ChildJvm.of(guest).args(args).command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
        return host.spawn(command, ticket, loop);
    }

    private static void awaitWatched(ShmLink link) {
        Deadline.after(LIMIT)
                .await("it is watched", () -> link.hasGuest() && link.peer().isWatched());
    }

    /** Once the host watches its process. */
    private static void deafen(ShmLink link) {
        awaitWatched(link);
        assertEquals(SendResult.SENT, link.trySend(LinkPair.text("let go of your bell")));
    }

    @Test
    void aSpawnedGuestThatRunsOnIsKilledAndToldThen() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, "stays");
            deafen(ticket.link());
            Told dead = next();
            assertEquals(new PeerDeath(ticket.link(), child.pid(), 1), dead.death());
            assertTrue(!dead.isAlive(), "it was told before its process was gone");
            ExitStatus exit = Futures.get(child.exit());
            assertEquals(137, exit.code(), exit::toString);
            assertEquals(PeerState.DEAD, ticket.link().peerState());
            assertEquals("last words", LinkPair.text(LinkTest.receive(ticket.link())));
            assertNull(ticket.link().receive(LIMIT));
            assertTrue(told.isEmpty(), told::toString);
        }
    }

    /** As by a program whose receiving thread closes the link when it is over. */
    @Test
    void aLinkThatIsClosedMeanwhileIsToldToo() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, "stays");
            deafen(ticket.link());
            Deadline.after(LIMIT)
                    .await("its link is over", () -> ticket.link().peerState().isOver());
            ticket.link().close();
            Told dead = next();
            assertEquals(new PeerDeath(ticket.link(), child.pid(), 1), dead.death());
            assertTrue(!dead.isAlive(), "it was told before its process was gone");
            Futures.get(child.exit());
        }
    }

    /** One that had no processor in its time is killed, and rightly so: another one shows it. */
    @Test
    void aSpawnedGuestThatEndsByItselfKeepsItsExitCode() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::note);
            ExitStatus exit;
            long took;
            do {
                PeerTicket ticket = host.addPeer(SMALL);
                Child child = spawn(host, ticket, "ends");
                awaitWatched(ticket.link());
                long began = System.nanoTime();
                deafen(ticket.link());
                assertEquals(child.pid(), next().death().pid());
                exit = Futures.get(child.exit());
                took = System.nanoTime() - began;
            } while (exit.code() == KILLED && took >= PATIENCE_NANOS);
            assertEquals(OWN_CODE, exit.code(), exit.toString());
        }
    }

    /** Nobody but its parent may end it; its link is over all the same. */
    @Test
    void aGuestOfTheSocketIsToldWhenItEndsByItself() throws Exception {
        Path directory = folder.resolve("host");
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig config = config().onGuest((link, guest) -> arrived.add(link)).build();
        try (ShmHost host = ShmHost.create(directory, config);
                ChildProcess guest = ChildJvm.of(Deaf.class)
                        .args("stays", directory.toString())
                        .start()) {
            host.onPeerDeath(this::note);
            ShmLink link = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guest::toString);
            deafen(link);
            guest.awaitLine("deaf", LIMIT);
            Deadline.after(LIMIT).await("its link is over", () -> link.peerState() == PeerState.DEAD);
            // A child of this host would be killed meanwhile.
            assertNull(told.poll(2, TimeUnit.SECONDS));
            assertTrue(isAlive((int) guest.pid()));
            guest.send("KILL");
            Told dead = next();
            assertSame(link, dead.death().link());
            assertEquals(guest.pid(), dead.death().pid());
            assertTrue(!dead.isAlive());
            guest.awaitExit(LIMIT);
        }
    }

    /** A handler that comes when the link is over already. */
    @Test
    void aGuestThatRunsOnIsToldToALaterHandlerWhenItEnds() throws Exception {
        Path directory = folder.resolve("host");
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig config = config().onGuest((link, guest) -> arrived.add(link)).build();
        try (ShmHost host = ShmHost.create(directory, config);
                ChildProcess guest = ChildJvm.of(Deaf.class)
                        .args("stays", directory.toString())
                        .start()) {
            ShmLink link = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guest::toString);
            deafen(link);
            Deadline.after(LIMIT).await("its link is over", () -> link.peerState() == PeerState.DEAD);
            // The loop that watches has done all that it does then, and after it the one where it would be told.
            Futures.get(CompletableFuture.runAsync(() -> {}, EventLoop.shared()));
            host.onPeerDeath(this::note);
            Futures.get(CompletableFuture.runAsync(() -> {}, loop));
            assertTrue(told.isEmpty(), told::toString);
            guest.send("KILL");
            Told dead = next();
            assertEquals(new PeerDeath(link, (int) guest.pid(), 1), dead.death());
            assertTrue(!dead.isAlive());
            guest.awaitExit(LIMIT);
        }
    }

    @Test
    void aSpawnedProgramThatNeverAttachesIsToldWithItsPid() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = host.spawn(Spawn.command("true"), ticket, loop);
            assertEquals(child.pid(), next().death().pid());
            Futures.get(child.exit());
        }
    }

    /** It is not told before it is gone, and does not run on. */
    @Test
    void aSpawnedProgramThatClosesItsBellAndNeverAttachesIsKilled() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = host.spawn(Spawn.command("sh", "-c", "exec 4>&-; exec sleep 300"), ticket, loop);
            Told dead = next();
            assertEquals(child.pid(), dead.death().pid());
            assertTrue(!dead.isAlive(), "it was told before its process was gone");
            assertEquals(137, Futures.get(child.exit()).code());
        }
    }

    @Test
    void aSpawnedGuestThatRunsOnIsKilledAlsoWhereNobodyIsTold() throws Exception {
        try (ShmHost host = ShmHost.create(config().build())) {
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, "stays");
            Waiting<Boolean> receiving = Waiting.on(
                    () -> LinkPair.text(LinkTest.receive(ticket.link())).equals("last words"));
            assertTrue(receiving.result());
            deafen(ticket.link());
            assertNull(ticket.link().receive(LIMIT));
            assertEquals(137, Futures.get(child.exit()).code());
        }
    }

    /** The pid in the link is another child's, which does nothing wrong. */
    // r[verify shm.death.told]
    @Test
    void aSpawnedGuestThatNamesAnotherChildAsItselfIsKilledAndToldAndTheOtherOneIsNot() throws Exception {
        try (ShmHost host = ShmHost.create(config().build());
                Child other = Spawn.command("sleep", "300").start(loop)) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child liar = spawn(host, ticket, Liar.class, Integer.toString(other.pid()), "stays");
            deafen(ticket.link());
            Told dead = next();
            assertEquals(new PeerDeath(ticket.link(), liar.pid(), 1), dead.death());
            assertTrue(!dead.isAlive(), "it was told before its process was gone");
            assertEquals(137, Futures.get(liar.exit()).code());
            assertTrue(other.isAlive());
            assertTrue(other.kill());
            Futures.get(other.exit());
            assertTrue(told.isEmpty(), told::toString);
        }
    }

    /** A process that it has started keeps its bell, and the pid in the link is that of one which lives. */
    // r[verify shm.death.told]
    @Test
    void theEndOfASpawnedGuestIsItsDeathWhoeverKeepsItsBell() throws Exception {
        try (ShmHost host = ShmHost.create(config().build());
                Child other = Spawn.command("sleep", "300").start(loop)) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child liar = spawn(host, ticket, Liar.class, Integer.toString(other.pid()), "heir");
            long heir = LinkTest.receive(ticket.link()).id();
            Waiting<Frame> receiving = Waiting.on(() -> ticket.link().receive(LIMIT));
            receiving.awaitAsleep();
            assertTrue(liar.kill());
            assertEquals(new PeerDeath(ticket.link(), liar.pid(), 1), next().death());
            assertNull(receiving.result());
            assertEquals(PeerState.DEAD, ticket.link().peerState());
            assertTrue(ProcessHandle.of(heir).orElseThrow().isAlive(), "it holds the bell");
            assertTrue(ProcessHandle.of(heir).orElseThrow().destroyForcibly());
            assertTrue(other.kill());
            Futures.get(other.exit());
        }
    }

    /** The process that it names ends, and that is not its own end. */
    // r[verify shm.death.told]
    @Test
    void theEndOfAProcessThatASpawnedGuestNamesIsNoDeath() throws Exception {
        try (ShmHost host = ShmHost.create(config().build());
                Child other = Spawn.command("sleep", "300").start(loop)) {
            host.onPeerDeath(this::note);
            PeerTicket ticket = host.addPeer(SMALL);
            Child liar = spawn(host, ticket, Liar.class, Integer.toString(other.pid()), "heir");
            long heir = LinkTest.receive(ticket.link()).id();
            Deadline.after(LIMIT)
                    .await("it is watched", () -> ticket.link().peer().isWatched());
            assertTrue(other.kill());
            Futures.get(other.exit());
            assertEquals(SendResult.SENT, ticket.link().trySend(LinkPair.text("are you there")));
            assertEquals("still here", LinkPair.text(LinkTest.receive(ticket.link())));
            assertEquals(PeerState.ATTACHED, ticket.link().peerState());
            assertTrue(told.isEmpty(), told::toString);
            assertTrue(ProcessHandle.of(heir).orElseThrow().destroyForcibly());
            assertTrue(liar.kill());
            Futures.get(liar.exit());
        }
    }

    /** Attaches as another process; lets go of its bell, or hands it on and answers. */
    static final class Liar {
        public static void main(String[] args) throws Exception {
            OpenedGuest guest = OpenedGuest.of(3, 4, Integer.parseInt(args[0]));
            if (args[1].equals("stays")) {
                Deadline.after(LIMIT).await("it is told to", () -> guest.link().poll(frame -> {}, 1) == 1);
                guest.bell().close();
            } else {
                Child heir = Spawn.command("sleep", "300")
                        .inherit(guest.bell().fd(), 4)
                        .start();
                guest.link().send(Frame.of(1, heir.pid(), LinkPair.bytes(0, 0)), LIMIT);
                LinkTest.receive(guest.link());
                guest.link().send(LinkPair.text("still here"), LIMIT);
            }
            Thread.currentThread().join();
        }
    }

    /** Attaches, says something, and lets go of its bell without a goodbye. */
    static final class Deaf {
        public static void main(String[] args) throws Exception {
            OpenedGuest guest = args.length == 1 ? OpenedGuest.of(3, 4) : connected(Path.of(args[1]));
            guest.link().send(LinkPair.text("last words"), LIMIT);
            // A wait that sleeps would have the bell watched, by a copy that nobody closes here.
            Deadline.after(LIMIT).await("it is told to", () -> guest.link().poll(frame -> {}, 1) == 1);
            guest.bell().close();
            System.out.println("deaf");
            if (args[0].equals("ends")) {
                Runtime.getRuntime().halt(OWN_CODE);
            }
            Thread.currentThread().join();
        }

        private static OpenedGuest connected(Path directory) throws Exception {
            HostConnection host = HostConnection.to(directory, LIMIT, Long.MAX_VALUE);
            OpenedGuest guest = OpenedGuest.of(host.receive());
            host.close();
            return guest;
        }
    }
}
