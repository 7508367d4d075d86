package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guests that do nothing, or not for a while, disturb neither their host nor other guests; and a host may have 255 of them. */
final class IdleGuestsIT {
    private static final Duration STOPPED = Duration.ofSeconds(Boolean.getBoolean("carillon.stress") ? 60 : 2);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final int ROUNDS = 2_000;
    private static final int LOOKS = 10;

    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(8).slots(1024, 2).channels(8).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
    private final BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private ShmHost host() {
        ShmHost host = ShmHost.create(
                folder.resolve("host"),
                HostConfig.builder()
                        .loop(loop)
                        .link(SMALL)
                        .onGuest((link, guest) -> arrived.add(link))
                        .build());
        host.onPeerDeath(deaths::add);
        return host;
    }

    private ChildProcess guests(String way, int count) {
        return ChildJvm.of(Guests.class)
                .args(folder.resolve("host").toString(), way, Integer.toString(count))
                .start();
    }

    private ShmLink next(ChildProcess guests) throws InterruptedException {
        ShmLink link = arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(link != null, guests::toString);
        return link;
    }

    private static void assertAnswers(ShmLink link, int number) throws InterruptedException {
        assertEquals(SendResult.SENT, link.send(Frame.of(1, number, LinkPair.bytes(100, number)), LIMIT));
        assertEquals(number, LinkTest.receive(link).id());
    }

    // r[verify shm.backpressure]
    @Test
    void aGuestThatNeverReadsFillsItsOwnRingAndNothingElse() throws Exception {
        try (ShmHost host = host();
                ChildProcess silent = guests("silent", 1)) {
            ShmLink toSilent = next(silent);
            try (ChildProcess other = guests("echo", 1)) {
                assertOnlyItsOwnRingIsFull(host, toSilent, next(other));
            }
            // It has not read, and is told all the same.
            toSilent.close();
            ChildExit exit = silent.awaitExit(LIMIT);
            assertEquals(List.of("GONE"), exit.stdout(), exit::toString);
        }
    }

    private void assertOnlyItsOwnRingIsFull(ShmHost host, ShmLink toSilent, ShmLink toOther)
            throws InterruptedException {
        assertEquals(2, host.peers().size());
        int sent = 0;
        while (toSilent.trySend(LinkPair.text("x")) == SendResult.SENT) {
            sent++;
        }
        assertEquals(7, sent);
        assertEquals(SendResult.RING_FULL, toSilent.send(LinkPair.text("x"), SHORT));
        assertNull(toSilent.awaitClaim(1000, SHORT));
        assertEquals(SendResult.RING_FULL, toSilent.claimRefusal());
        for (int i = 0; i < 100; i++) {
            assertAnswers(toOther, i);
        }
        assertEquals(PeerState.ATTACHED, toSilent.peerState());
        assertTrue(deaths.isEmpty());
    }

    @Test
    void aGuestThatIsStoppedForAWhileGoesOnWhereItWas() throws Exception {
        try (ShmHost host = host();
                ChildProcess stopped = guests("echo", 1);
                ShmLink toStopped = next(stopped);
                ChildProcess other = guests("echo", 1);
                ShmLink toOther = next(other)) {
            assertAnswers(toStopped, 1);
            stopped.send("STOP");
            Deadline.after(LIMIT).await("all its threads have stopped", () -> isStopped(stopped.pid()));
            long end = System.nanoTime() + STOPPED.toNanos();
            int sent = 0;
            while (toStopped.trySend(Frame.of(1, sent, LinkPair.bytes(10, sent))) == SendResult.SENT) {
                sent++;
            }
            int others = 0;
            while (System.nanoTime() - end < 0) {
                assertAnswers(toOther, others++);
            }
            assertEquals(PeerState.ATTACHED, toStopped.peerState());
            assertNull(toStopped.receive(SHORT));
            assertTrue(deaths.isEmpty());
            assertEquals(2, host.peers().size());
            stopped.send("CONT");
            for (int i = 0; i < sent; i++) {
                assertEquals(i, LinkTest.receive(toStopped).id());
            }
            assertAnswers(toStopped, 99);
        }
    }

    /** The signal stops one thread after another. */
    static boolean isStopped(long pid) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return tasks.allMatch(task -> stateOf(task) == 'T');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static char stateOf(Path task) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException hasEnded) {
            return 'T';
        }
    }

    /** What one guest costs does not depend on how many there are beside it. */
    @Test
    void aHostHas255Guests() throws Exception {
        try (ShmHost host = host();
                ChildProcess first = guests("echo", 1);
                ShmLink link = next(first)) {
            assertAnswers(link, 0);
            long alone = roundTrip(link);
            try (ChildProcess others = guests("echo", ShmHost.MAX_PEERS - 1)) {
                List<ShmLink> links = new ArrayList<>();
                for (int i = 1; i < ShmHost.MAX_PEERS; i++) {
                    links.add(next(others));
                }
                assertEquals(ShmHost.MAX_PEERS, host.peers().size());
                for (int i = 0; i < links.size(); i++) {
                    assertAnswers(links.get(i), i);
                }
                long among = least(link, 5 * alone);
                System.out.printf(
                        Locale.ROOT,
                        "a round trip: %,d ns alone, %,d ns among %d guests%n",
                        alone,
                        among,
                        links.size());
                links.forEach(ShmLink::close);
                ChildExit exit = others.awaitExit(LIMIT);
                assertEquals(0, exit.code(), exit::toString);
                // The machine may have got busy since the first one.
                long after = among < 5 * alone ? alone : roundTrip(link);
                assertTrue(
                        among < 5 * Math.max(alone, after),
                        () -> "alone=" + alone + " ns, among=" + among + " ns, alone again=" + after + " ns");
            }
            assertTrue(deaths.isEmpty(), deaths::toString);
        }
    }

    /** The first one below a limit, or the least of some: what others do on this machine makes single ones long. */
    private static long least(ShmLink link, long limit) throws InterruptedException {
        long least = roundTrip(link);
        for (int i = 1; i < LOOKS && least >= limit; i++) {
            least = Math.min(least, roundTrip(link));
        }
        return least;
    }

    /** The median. */
    private static long roundTrip(ShmLink link) throws InterruptedException {
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            assertAnswers(link, i);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2];
    }

    /** So many in one process, each with a thread of its own. */
    static final class Guests {
        public static void main(String[] args) throws Exception {
            int count = Integer.parseInt(args[2]);
            CountDownLatch done = new CountDownLatch(count);
            for (int i = 0; i < count; i++) {
                ShmLink link = ShmGuest.connect(Path.of(args[0]), LIMIT);
                Thread thread = new Thread(() -> {
                    try (link) {
                        serve(link, args[1].equals("echo"));
                    } catch (InterruptedException never) {
                        throw new IllegalStateException(never);
                    }
                    done.countDown();
                });
                thread.start();
            }
            done.await();
            System.exit(0);
        }

        private static void serve(ShmLink link, boolean echoes) throws InterruptedException {
            if (!echoes) {
                while (!link.peerState().isOver()) {
                    link.awaitSpace(1, Duration.ofMillis(1));
                    Thread.onSpinWait();
                }
                System.out.println(link.peerState());
                return;
            }
            while (link.awaitData(LIMIT)) {
                link.poll(frame -> link.trySend(Frame.of(2, frame.id(), frame.payload())), 8);
            }
        }
    }
}
