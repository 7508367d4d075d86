package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Host and guest work while somebody sets the wall clock, by hours and all the time: no wait, ticket or death depends on it. */
// r[verify shm.clock]
final class WallClockIT {
    /** As long as some jumps. */
    private static final Duration SHORT = Duration.ofMillis(120);

    /** Shorter than each jump. */
    private static final Duration HOUR = Duration.ofHours(1);

    private static final LinkConfig SMALL = LinkConfig.builder()
            .ring(8)
            .slots(1024, 2)
            .channels(8)
            .window(4_000)
            .build();

    @TempDir
    private Path folder;

    private ChildProcess child(Class<?> program, Path shim) {
        return ChildJvm.of(program)
                .environment("LD_PRELOAD", shim.toString())
                .args(folder.resolve("host").toString())
                .start();
    }

    private static void assertJumped(String line) {
        long jumps = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
        assertTrue(jumps > 4, () -> "the wall clock was left alone: " + line);
    }

    @Test
    void nothingNoticesThatTheWallClockIsSet() throws IOException {
        Path shim = CProgram.compile(folder, "wallclock.so", GuestInC.resource("wallclock.c"), "-shared", "-fPIC");
        try (ChildProcess host = child(Host.class, shim)) {
            assertJumped(host.awaitLine("its waits were as long as they should be, jumps: ", LIMIT));
            assertJumped(host.awaitLine("its tickets too, jumps: ", LIMIT));
            try (ChildProcess guest = child(Guest.class, shim)) {
                assertJumped(host.awaitLine("frames have gone to and fro, jumps: ", LIMIT));
                assertJumped(guest.awaitLine("echoed, jumps: ", LIMIT));
                guest.send("KILL");
                assertEquals("told of the death of " + guest.pid(), host.awaitLine("told of", LIMIT));
            }
            try (ChildProcess guest = child(Guest.class, shim)) {
                assertJumped(guest.awaitLine("echoed, jumps: ", LIMIT));
                host.send("KILL");
                guest.awaitLine("the host is DEAD", LIMIT);
            }
            assertEquals(
                    1,
                    host.stdout().stream()
                            .filter(line -> line.startsWith("told of"))
                            .count(),
                    host::toString);
        }
    }

    static final class Host {
        private static final WallClock CLOCK = new WallClock();

        public static void main(String[] args) throws Exception {
            BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
            HostConfig.Builder config = HostConfig.builder().link(SMALL).onGuest((link, guest) -> arrived.add(link));
            try (ShmHost patient =
                    ShmHost.create(HostConfig.builder().reserveFor(HOUR).build())) {
                ShmLink expected = patient.addPeer(SMALL).link();
                waits(expected);
                CLOCK.awaitJumps(5);
                say("its waits were as long as they should be");
                tickets(expected);
                say("its tickets too");
            }
            try (ShmHost host = ShmHost.create(Path.of(args[0]), config.build())) {
                host.onPeerDeath(death -> System.out.println("told of the death of " + death.pid()));
                for (; ; ) {
                    ShmLink link = arrived.take();
                    exchange(link);
                    say("frames have gone to and fro");
                }
            }
        }

        private static void say(String what) {
            System.out.println(what + ", jumps: " + CLOCK.jumps());
        }

        private static void waits(ShmLink link) throws Exception {
            ensureLong("receive", null, () -> link.receive(SHORT));
            ensureLong("awaitData", false, () -> link.awaitData(SHORT));
            ensureLong("acceptChannel", null, () -> link.acceptChannel(SHORT));
            ShmChannel channel = link.openChannel();
            ensureLong("awaitCredit", CreditResult.TIMED_OUT, () -> channel.awaitCredit(64, SHORT));
            BareLink.fill(link);
            ensureLong("send", SendResult.RING_FULL, () -> link.send(LinkPair.text("x"), SHORT));
            ensureLong("awaitClaim", null, () -> link.awaitClaim(10, SHORT));
            ensureLong("awaitSpace", false, () -> link.awaitSpace(SHORT));
            ensureLong("a timer", true, () -> {
                CountDownLatch told = new CountDownLatch(1);
                EventLoop.shared().schedule(SHORT, told::countDown);
                told.await();
                return true;
            });
        }

        /** A wait that is too long meets the deadline of the test. */
        private static void ensureLong(
                String what, @Nullable Object expected, Callable<? extends @Nullable Object> wait) throws Exception {
            long start = System.nanoTime();
            Object result = wait.call();
            long took = System.nanoTime() - start;
            if (took < SHORT.toNanos() || !Objects.equals(expected, result)) {
                throw new IllegalStateException(what + ": " + result + " after " + took + " ns");
            }
        }

        /** One is over after its time, and another one, which has more, is not. */
        private static void tickets(ShmLink expected) throws Exception {
            try (ShmHost host =
                    ShmHost.create(HostConfig.builder().reserveFor(SHORT).build())) {
                ensureLong("a ticket", null, () -> host.addPeer(SMALL).link().receive(LinkPair.LONG));
            }
            if (expected.peerState() != PeerState.EXPECTED) {
                throw new IllegalStateException("a ticket for an hour: " + expected);
            }
        }

        /** First as a thread waits, and then as a loop does. */
        private static void exchange(ShmLink link) throws Exception {
            exchange(0, frame -> {
                ensureSent(link.send(frame, LIMIT));
                return link.receive(LIMIT);
            });
            try (AsyncLink async = link.onLoop(EventLoop.shared())) {
                exchange(1_000_000, frame -> {
                    ensureSent(Futures.get(async.sendAsync(frame)));
                    return Futures.get(async.receiveAsync());
                });
            }
        }

        private static void exchange(long first, Trip trip) throws Exception {
            long enough = CLOCK.jumps() + 5;
            for (long id = first; CLOCK.jumps() < enough; id++) {
                Frame answer = trip.make(Frame.of(1, id, LinkPair.bytes((int) (id % 500), (int) id)));
                if (answer == null || answer.id() != id) {
                    throw new IllegalStateException("frame " + id + ": " + answer);
                }
            }
        }

        private static void ensureSent(SendResult result) {
            if (result != SendResult.SENT) {
                throw new IllegalStateException("sent: " + result);
            }
        }

        private interface Trip {
            @Nullable
            Frame make(Frame frame) throws Exception;
        }
    }

    /** Sends back what it gets, by a thread. */
    static final class Guest {
        public static void main(String[] args) throws Exception {
            WallClock clock = new WallClock();
            try (ShmLink link = ShmGuest.connect(Path.of(args[0]), LIMIT)) {
                boolean told = false;
                while (link.awaitData(LinkPair.LONG)) {
                    link.poll(frame -> link.trySend(frame), 8);
                    if (!told && clock.jumps() > 4) {
                        System.out.println("echoed, jumps: " + clock.jumps());
                        told = true;
                    }
                }
                System.out.println("the host is " + link.peerState());
            }
        }
    }
}
