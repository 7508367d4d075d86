package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.LinkAudit;
import dev.carillon.shm.audit.Moment;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGKILL at any moment while frames go both ways. The other side receives what was published, a prefix of what was sent, and
 * learns of the death; others that it has to do with notice nothing; nothing is left.
 */
// r[verify shm.death] r[verify shm.recovery]
final class ChaosIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final int GUESTS = STRESS ? 900 : 45;
    private static final int HOSTS = STRESS ? 100 : 5;

    /** As long as a VM takes to start, and some more. */
    private static final int MOST_MILLIS = 600;

    private static final Duration PROMISED = Duration.ofMillis(50);
    private static final int WARM = 5;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    /** When each death was told, by the link. */
    private final Map<ShmLink, Long> told = new ConcurrentHashMap<>();

    private long frames;

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private static Spawn.Builder guest(Path output, long seed) {
        return Spawn.command(ChildJvm.of(Guest.class)
                        .vmFlags("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                        .args(Long.toString(seed))
                        .command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(output))
                .stderr(Stdio.append(output));
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    // r[verify shm.recovery.kill-anywhere]
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    @Test
    void killedGuestsLeaveAPrefixAndNothingElse(@Seeded SplittableRandom random) throws Exception {
        long[] toTell = new long[GUESTS];
        long[] toReap = new long[GUESTS];
        HostConfig config = HostConfig.builder().loop(loop).reserveFor(LIMIT).build();
        try (ShmHost host = ShmHost.create(config)) {
            host.onPeerDeath(death -> told.put(death.link(), System.nanoTime()));
            try (Bystander other = new Bystander(host, loop, folder.resolve("out"))) {
                int before = 0;
                for (int i = 0; i < GUESTS; i++) {
                    if (i == WARM) {
                        before = Descriptors.count();
                    }
                    killed(host, i % 3 + 2, random.split(), i, toTell, toReap);
                }
                int most = before;
                Deadline.after(LIMIT).await("nothing stays open", () -> Descriptors.count() <= most);
                other.end();
            }
        }
        report("guests", GUESTS, toTell, toReap);
        assertFalse(output().contains("Exception"), this::output);
    }

    private void killed(ShmHost host, int id, SplittableRandom random, int round, long[] toTell, long[] toReap)
            throws Exception {
        long seed = random.nextLong();
        PeerTicket ticket = host.addPeer(id, ChaosFlows.CONFIG);
        ShmLink link = ticket.link();
        ChaosFlows flows = new ChaosFlows(link, seed, seed + 1);
        Child child = host.spawn(guest(folder.resolve("out"), seed), ticket, loop);
        flows.start();
        if (round % 4 > 0) {
            assertTrue(link.awaitData(LIMIT), this::output);
        }
        long[] killedAt = new long[1];
        loop.schedule(Duration.ofMillis(random.nextInt(round % 4 > 0 ? MOST_MILLIS / 6 : MOST_MILLIS)), () -> {
            killedAt[0] = System.nanoTime();
            child.kill();
        });
        long[] reapedAt = new long[1];
        var reaped = child.exit().whenComplete((exit, why) -> reapedAt[0] = System.nanoTime());
        flows.receiveAll();
        assertEquals(137, Futures.get(reaped).code(), this::output);
        assertEquals(PeerState.DEAD, link.peerState());
        Deadline.after(LIMIT).await("the death is told", () -> told.containsKey(link));
        toTell[round] = Objects.requireNonNull(told.get(link)) - killedAt[0];
        toReap[round] = reapedAt[0] - killedAt[0];
        frames += flows.received() + flows.sent();
        assertSound(link);
        link.close();
    }

    /** What both sides have left in the memory is what a death may leave there. */
    static void assertSound(ShmLink link) {
        try (MemoryRegion memory = SixteenGuestsIT.memoryOf(link)) {
            AuditReport report = LinkAudit.of(memory, Moment.ANY);
            assertTrue(report.isClean(), report::toString);
        }
    }

    /** Told at once, or as late as the kernel, a loaded machine, says that there was an exit. */
    private void report(String who, int rounds, long[] toTell, long[] toReap) {
        Arrays.sort(toTell);
        Arrays.sort(toReap);
        int p99 = rounds * 99 / 100;
        System.out.printf(
                Locale.ROOT,
                "%d %s killed, %,d frames; learned of after p50 %,d us, p99 %,d us, most %,d us; the exit itself: p50 %,d us, p99 %,d us%n",
                rounds,
                who,
                frames,
                toTell[rounds / 2] / 1000,
                toTell[Math.min(p99, rounds - 1)] / 1000,
                toTell[rounds - 1] / 1000,
                toReap[rounds / 2] / 1000,
                toReap[Math.min(p99, rounds - 1)] / 1000);
        assertTrue(toTell[rounds / 2] <= toReap[rounds / 2] + PROMISED.toNanos());
    }

    /** Frames go to it and come from it all the time. */
    private static final class Bystander implements AutoCloseable {
        private final ShmLink link;
        private final ChaosFlows flows;
        private final Child child;
        private final Thread receiver;
        private volatile boolean failed;

        Bystander(ShmHost host, EventLoop loop, Path output) {
            PeerTicket ticket = host.addPeer(1, ChaosFlows.CONFIG);
            link = ticket.link();
            flows = new ChaosFlows(link, 0, 1);
            child = host.spawn(guest(output, 0), ticket, loop);
            flows.start();
            receiver = new Thread(this::receive, "bystander");
            receiver.start();
        }

        private void receive() {
            try {
                flows.receiveAll();
            } catch (InterruptedException | RuntimeException | Error unexpected) {
                unexpected.printStackTrace();
                failed = true;
            }
        }

        /** It has noticed nothing so far, and then dies too. */
        void end() throws Exception {
            long before = flows.received();
            Deadline.after(LIMIT).await("it goes on", () -> flows.received() > before + 1000);
            assertEquals(PeerState.ATTACHED, link.peerState());
            child.kill();
            receiver.join(LIMIT.toMillis());
            assertFalse(receiver.isAlive() || failed);
        }

        @Override
        public void close() {
            child.kill();
            link.close();
        }
    }

    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Test
    void killedHostsLeaveAPrefixAndTheirDirectoryToTheNextOne(@Seeded SplittableRandom random) throws Exception {
        Path directory = folder.resolve("host");
        long[] toTell = new long[HOSTS];
        long[] toReap = new long[HOSTS];
        EventLoop.shared();
        int before = Descriptors.count();
        for (int i = 0; i < HOSTS; i++) {
            long seed = random.nextLong();
            try (ChildProcess host = ChildJvm.of(Host.class)
                    .vmFlags("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                    .args(directory.toString(), Long.toString(seed))
                    .start()) {
                host.awaitLine("here", LIMIT);
                try (ShmLink link = ShmGuest.connect(directory, LIMIT)) {
                    ChaosFlows flows = new ChaosFlows(link, seed + 1, seed);
                    flows.start();
                    assertTrue(link.awaitData(LIMIT), host::toString);
                    long[] killedAt = new long[1];
                    loop.schedule(Duration.ofMillis(random.nextInt(MOST_MILLIS / 6)), () -> {
                        killedAt[0] = System.nanoTime();
                        host.send("KILL");
                    });
                    flows.receiveAll();
                    toTell[i] = System.nanoTime() - killedAt[0];
                    ChildExit exit = host.awaitExit(LIMIT);
                    toReap[i] = System.nanoTime() - killedAt[0];
                    assertEquals(137, exit.code(), exit::toString);
                    assertEquals(List.of("here"), exit.stdout(), exit::toString);
                    assertEquals(PeerState.DEAD, link.peerState());
                    frames += flows.received() + flows.sent();
                    assertSound(link);
                }
            }
        }
        Deadline.after(LIMIT).await("nothing stays open", () -> Descriptors.count() <= before);
        report("hosts", HOSTS, toTell, toReap);
    }

    /** Exchanges frames until it is killed, or its host is. */
    static final class Guest {
        public static void main(String[] args) throws Exception {
            long seed = Long.parseLong(args[0]);
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                ChaosFlows flows = new ChaosFlows(link, seed + 1, seed);
                flows.start();
                flows.receiveAll();
            }
        }
    }

    /** Exchanges frames with one guest. */
    static final class Host {
        public static void main(String[] args) throws Exception {
            long seed = Long.parseLong(args[1]);
            HostConfig config = HostConfig.builder()
                    .link(ChaosFlows.CONFIG)
                    .onGuest((link, guest) -> {
                        ChaosFlows flows = new ChaosFlows(link, seed, seed + 1);
                        flows.start();
                        new Thread(() -> receive(flows)).start();
                    })
                    .build();
            try (ShmHost host = ShmHost.create(Path.of(args[0]), config)) {
                System.out.println("here");
                Thread.currentThread().join();
                System.out.println(host);
            }
        }

        private static void receive(ChaosFlows flows) {
            try {
                flows.receiveAll();
            } catch (InterruptedException | RuntimeException | Error failure) {
                System.out.println(failure);
            }
        }
    }
}
