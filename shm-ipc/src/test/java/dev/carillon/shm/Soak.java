package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.LinkAudit;
import dev.carillon.shm.audit.Moment;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What happens in a soak, in the process of the host. */
final class Soak {
    /** What the VM may take while it warms up. */
    private static final long SLACK = 64 << 20;

    private static final int STAYS = 1;
    private static final int DIES = 2;

    private final Duration time;

    private final EventLoop loop = EventLoop.open().start();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong killed = new AtomicLong();
    private final AtomicLong visited = new AtomicLong();
    private final AtomicLong audited = new AtomicLong();
    private final AtomicLong frames = new AtomicLong();

    Soak(Duration time) {
        this.time = time;
    }

    void run(Path directory, SplittableRandom random) throws Exception {
        HostConfig config = HostConfig.builder()
                .loop(loop)
                .link(ChaosFlows.CONFIG)
                .reserveFor(LIMIT)
                .onGuest((link, guest) -> visited(link))
                .build();
        ExecutorService threads = Executors.newCachedThreadPool();
        long end = System.nanoTime() + time.toNanos();
        try (ShmHost host = ShmHost.create(directory, config);
                ChildProcess visitors = ChildJvm.of(Visitors.class)
                        .vmFlags("-Xmx32m", "-XX:+UseSerialGC")
                        .args(directory.toString())
                        .start()) {
            PeerTicket stays = host.addPeer(STAYS, ChaosFlows.CONFIG);
            ChaosFlows steady = new ChaosFlows(stays.link(), 0, 1);
            Child child = host.spawn(guest(0), stays, loop);
            steady.start();
            Future<?> receiving = threads.submit(() -> {
                steady.receiveAll();
                return true;
            });
            Future<?> killing = threads.submit(() -> killAgainAndAgain(host, random));
            Future<?> auditing = threads.submit(() -> audit(stays));
            Deadline.after(time.plus(LIMIT))
                    .await("a third", () -> System.nanoTime() - (end - time.toNanos() / 3 * 2) > 0);
            Deadline.after(LIMIT).await("all have begun", () -> killed.get() > 0 && visited.get() > 0);
            int descriptors = mostDescriptors();
            ProcessSizes early = ProcessSizes.now(List.of(visitors));
            Deadline.after(time.plus(LIMIT)).await("the end", () -> System.nanoTime() - end > 0);
            ProcessSizes late = ProcessSizes.now(List.of(visitors));
            over.set(true);
            killing.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            auditing.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            Deadline.after(LIMIT)
                    .await("no more descriptors than " + descriptors, () -> Descriptors.count() <= descriptors);
            assertEquals(PeerState.ATTACHED, stays.link().peerState());
            visitors.send("KILL");
            visitors.awaitExit(LIMIT);
            child.kill();
            receiving.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            Futures.get(child.exit());
            frames.addAndGet(steady.received() + steady.sent());
            System.out.println(time + ": " + frames + " frames, " + killed + " guests killed, " + visited + " visits, "
                    + audited + " audits, " + descriptors + " descriptors; early: " + early + "; late: " + late);
            assertTrue(late.resident() - early.resident() < SLACK, () -> early + "; " + late);
            assertTrue(late.guests() - early.guests() < SLACK, () -> early + "; " + late);
        } finally {
            over.set(true);
            threads.shutdown();
        }
        assertTrue(Files.notExists(directory));
        loop.close();
    }

    /** Of some looks: guests come and go meanwhile. */
    private static int mostDescriptors() {
        int most = 0;
        for (int i = 0; i < 200; i++) {
            most = Math.max(most, Descriptors.count());
        }
        return most;
    }

    private static Spawn.Builder guest(long seed) {
        return Spawn.command(ChildJvm.of(ChaosIT.Guest.class)
                        .vmFlags("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                        .args(Long.toString(seed))
                        .command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.nothing())
                .stderr(Stdio.nothing());
    }

    private boolean killAgainAndAgain(ShmHost host, SplittableRandom random) throws Exception {
        while (!over.get()) {
            long seed = random.nextLong();
            PeerTicket ticket = host.addPeer(DIES, ChaosFlows.CONFIG);
            try (ShmLink link = ticket.link()) {
                ChaosFlows flows = new ChaosFlows(link, seed, seed + 1);
                Child child = host.spawn(guest(seed), ticket, loop);
                flows.start();
                loop.schedule(Duration.ofMillis(random.nextInt(200, 1500)), child::kill);
                flows.receiveAll();
                Futures.get(child.exit());
                ChaosIT.assertSound(link);
                frames.addAndGet(flows.received() + flows.sent());
            }
            killed.incrementAndGet();
        }
        return true;
    }

    /** On the loop; the guest says something and goes. */
    private void visited(ShmLink link) {
        AsyncLink async = link.onLoop(loop);
        var unused = async.receiveAsync().whenComplete((frame, why) -> {
            if (frame != null) {
                visited.incrementAndGet();
            }
            link.close();
        });
    }

    private boolean audit(PeerTicket ticket) {
        try (MemoryRegion memory = SixteenGuestsIT.memoryOf(ticket.link())) {
            while (!over.get()) {
                AuditReport report = LinkAudit.of(memory, Moment.ANY);
                assertTrue(report.isClean(), report::toString);
                audited.incrementAndGet();
            }
        }
        return true;
    }

    /** Come, say something, and go, until they are killed. */
    static final class Visitors {
        public static void main(String[] args) throws Exception {
            for (long i = 0; i >= 0; i++) {
                try (ShmLink link = ShmGuest.connect(Path.of(args[0]), LIMIT)) {
                    link.send(Frame.of(1, i, LinkPair.bytes(20, 1)), LIMIT);
                }
            }
        }
    }
}
