package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests of another process come, say something and go, one after the other; some leave without a goodbye. */
// r[verify shm.recovery]
final class ComingAndGoingIT {
    private static final int TIMES = Boolean.getBoolean("carillon.stress") ? 5_000 : 250;

    /** What both VMs need is there after so many. */
    private static final int WARM = 50;

    /** Bytes of the heap that a link has by far. */
    private static final int LEAST_OF_A_LINK = 200;

    private static final int NOISE = 1 << 20;

    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(8).slots(1024, 2).channels(8).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void guestsThatComeAndGoLeaveNothing(boolean inFiles) throws Exception {
        Path directory = folder.resolve("host");
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig.Builder config =
                HostConfig.builder().loop(loop).link(SMALL).onGuest((link, guest) -> arrived.add(link));
        if (inFiles) {
            config.inFiles();
        }
        // A death leads to its link, so nobody keeps it here.
        AtomicInteger deaths = new AtomicInteger();
        try (ShmHost host = ShmHost.create(directory, config.build());
                ChildProcess guests = ChildJvm.of(Guests.class)
                        .args(directory.toString(), Integer.toString(TIMES))
                        .start()) {
            host.onPeerDeath(death -> deaths.incrementAndGet());
            Counts before = Counts.NONE;
            ProcessSizes sizes = ProcessSizes.now(List.of());
            // What the VM itself takes as its code gets warm comes before that.
            ProcessSizes half = sizes;
            for (int i = 0; i < TIMES; i++) {
                ShmLink link = arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertTrue(link != null, guests::toString);
                assertEquals(i, LinkTest.receive(link).id());
                // The next one comes after this one was seen: a host that is slower than its guests has more of them at
                // a time.
                assertEquals(SendResult.SENT, link.trySend(Frame.of(2, i, LinkPair.bytes(20, i))));
                assertNull(link.receive(LIMIT));
                assertEquals(Guests.isRude(i) ? PeerState.DEAD : PeerState.GONE, link.peerState());
                link.close();
                if (i == WARM) {
                    before = Counts.now(directory);
                    sizes = ProcessSizes.now(List.of());
                } else if (i == TIMES / 2) {
                    half = ProcessSizes.now(List.of());
                }
            }
            ChildExit exit = guests.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            Counts most = before;
            Deadline.after(LIMIT)
                    .await(
                            "nothing has grown since " + most,
                            () -> Counts.now(directory).isAtMost(most));
            ProcessSizes last = ProcessSizes.now(List.of());
            System.out.println(TIMES + " guests: " + most + ", then " + Counts.now(directory) + "; at the beginning "
                    + sizes + ", in the middle " + half + ", at the end " + last);
            assertTrue(deaths.get() <= TIMES / 3, () -> "deaths: " + deaths);
            long grown = last.heap() - sizes.heap();
            assertTrue(
                    grown < NOISE + (long) TIMES * LEAST_OF_A_LINK, () -> "the heap has grown by " + grown + " bytes");
        }
        assertFalse(Files.exists(directory));
    }

    /** What a guest could leave behind at its host. */
    private record Counts(int descriptors, long mappings, long files) {
        static final Counts NONE = new Counts(0, 0, 0);

        static Counts now(Path directory) {
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"));
                    Stream<Path> files = Files.list(directory)) {
                long links = maps.filter(line -> line.contains("link-")).count();
                return new Counts(Descriptors.count(), links, files.count());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** One link may be on its way still. */
        boolean isAtMost(Counts other) {
            return descriptors <= other.descriptors && mappings <= other.mappings && files <= other.files;
        }
    }

    /** One after the other. */
    static final class Guests {
        static boolean isRude(int number) {
            return number % 3 == 2;
        }

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            int times = Integer.parseInt(args[1]);
            Counts before = Counts.NONE;
            for (int i = 0; i < times; i++) {
                if (i == WARM) {
                    before = Counts.now(directory);
                }
                comeAndGo(directory, i);
            }
            Counts most = before;
            Deadline.after(LIMIT)
                    .await(
                            "nothing has grown since " + most,
                            () -> Counts.now(directory).isAtMost(most));
            System.exit(0);
        }

        private static void comeAndGo(Path directory, int number) throws Exception {
            if (!isRude(number)) {
                try (ShmLink link = ShmGuest.connect(directory, LIMIT)) {
                    link.send(Frame.of(1, number, LinkPair.bytes(20, number)), LIMIT);
                    LinkTest.receive(link);
                }
                return;
            }
            HostConnection host = HostConnection.to(directory, LIMIT, Long.MAX_VALUE);
            try (OpenedGuest guest = OpenedGuest.of(host.receive())) {
                host.close();
                guest.link().send(Frame.of(1, number, LinkPair.bytes(20, number)), LIMIT);
                // A wait that sleeps would have the bell watched, by a copy that nobody closes here.
                Deadline.after(LIMIT).await("it was seen", () -> guest.link().poll(frame -> {}, 1) == 1);
            }
        }
    }
}
