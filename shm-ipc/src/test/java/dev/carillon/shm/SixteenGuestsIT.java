package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.slot.SlotWord;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Sixteen guests and their host send each other as much as they can for some time: each frame arrives once, in its order and
 * as it was sent; then all slots are free, and nothing has grown.
 */
final class SixteenGuestsIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final int LINKS = 16;

    /** Sixteen VMs take long to start; four with four guests each do as well. */
    private static final int PROCESSES = Integer.getInteger("carillon.shm.guests", STRESS ? LINKS : 4);

    private static final int SECONDS = STRESS ? 60 : 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final LinkConfig CONFIG = LinkConfig.builder()
            .ring(64)
            .slots(1024, 16)
            .slots(NumberedFlow.LONGEST / 64 * 64 + 64, 4)
            .build();

    /** What the VM may take while it warms up: code, stacks, buffers of the allocator. */
    private static final long SLACK = 64 << 20;

    private static final long HEAP_SLACK = 12 << 20;

    private static long seed(ShmLink link, boolean toGuest) {
        return 1000L * link.peerId() + (toGuest ? 1 : 0);
    }

    /** The host is a process of its own too, so that only what it does is measured. */
    @Test
    void sixteenGuestsAtFullSpeedLoseNothingAndLeaveNothing() {
        ChildExit exit = ChildJvm.of(Host.class)
                .vmFlags("-Xmx64m", "-XX:+UseSerialGC")
                .args(
                        "/dev/shm/carillon-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime(),
                        Integer.toString(PROCESSES),
                        Integer.toString(SECONDS))
                .run(Duration.ofSeconds(SECONDS).plus(LIMIT.multipliedBy(2)));
        assertEquals(0, exit.code(), exit::toString);
        System.out.println(exit.stdout());
    }

    private static void awaitNoMoreThan(int before) {
        Deadline.after(LIMIT).await("descriptors as before", () -> Descriptors.count() <= before);
    }

    /** Makes guests, and exchanges frames with them. */
    static final class Host {
        public static void main(String[] args) throws Exception {
            // The first one makes what all of them share, in the JDK too.
            try (ShmHost host = ShmHost.create(Path.of(args[0]), HostConfig.defaults())) {
                ShmGuest.connect(Path.of(args[0])).close();
                System.out.println("before: " + host);
            }
            System.out.println(ProcessSizes.now(List.of()));
            int before = Descriptors.count();
            serve(Path.of(args[0]), Integer.parseInt(args[1]), Duration.ofSeconds(Integer.parseInt(args[2])));
            awaitNoMoreThan(before);
            System.exit(0);
        }
    }

    private static void serve(Path directory, int processes, Duration time) throws Exception {
        EventLoop loop = EventLoop.open().start();
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig config = HostConfig.builder()
                .loop(loop)
                .link(CONFIG)
                .reserveFor(LIMIT)
                .pending(2 * LINKS)
                .onGuest((link, guest) -> arrived.add(link))
                .build();
        List<ChildProcess> guests = new ArrayList<>();
        try (ShmHost host = ShmHost.create(directory, config)) {
            for (int i = 0; i < processes; i++) {
                guests.add(ChildJvm.of(Guests.class)
                        .vmFlags("-Xmx48m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                        .args(directory.toString(), Integer.toString(LINKS / processes))
                        .start());
            }
            List<ShmLink> links = new ArrayList<>();
            for (int i = 0; i < LINKS; i++) {
                links.add(Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guests::toString));
            }
            exchange(links, guests, time);
            for (ShmLink link : links) {
                link.close();
            }
            for (ChildProcess each : guests) {
                ChildExit exit = each.awaitExit(LIMIT);
                assertEquals(0, exit.code(), exit::toString);
            }
            assertTrue(host.peers().isEmpty());
        } finally {
            guests.forEach(ChildProcess::close);
            loop.close();
        }
        assertTrue(Files.notExists(directory));
    }

    private static void exchange(List<ShmLink> links, List<ChildProcess> guests, Duration time) throws Exception {
        List<MemoryRegion> memories =
                links.stream().map(SixteenGuestsIT::memoryOf).toList();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long end = System.nanoTime() + time.toNanos();
            List<NumberedFlow> flows = new ArrayList<>();
            List<Future<Void>> all = new ArrayList<>();
            for (ShmLink link : links) {
                NumberedFlow out = new NumberedFlow(seed(link, true));
                NumberedFlow in = new NumberedFlow(seed(link, false));
                flows.add(out);
                flows.add(in);
                all.add(threads.submit(sending(link, out, end)));
                all.add(threads.submit(() -> {
                    in.receiveAll(link);
                    return null;
                }));
            }
            // The first third is for warming up.
            CountDownLatch never = new CountDownLatch(1);
            assertFalse(never.await(time.toNanos() / 3, TimeUnit.NANOSECONDS));
            ProcessSizes early = ProcessSizes.now(guests);
            // Before the end, at which the guests leave.
            assertFalse(never.await(Math.max(0, end - time.toNanos() / 4 - System.nanoTime()), TimeUnit.NANOSECONDS));
            ProcessSizes late = ProcessSizes.now(guests);
            for (Future<Void> each : all) {
                each.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            long frames = flows.stream().mapToLong(NumberedFlow::count).sum();
            System.out.printf(
                    Locale.ROOT,
                    "%d guests in %d processes: %,d frames in %d s; early: %s; late: %s%n",
                    LINKS,
                    guests.size(),
                    frames,
                    time.toSeconds(),
                    early,
                    late);
            flows.forEach(each -> assertTrue(each.count() > 0, "a flow without a frame"));
            assertTrue(late.heap() - early.heap() < HEAP_SLACK, () -> early + "; " + late);
            assertTrue(late.resident() - early.resident() < SLACK, () -> early + "; " + late);
            assertTrue(late.guests() - early.guests() < SLACK, () -> early + "; " + late);
            assertTrue(late.shared() <= 2L * LINKS * CONFIG.layout().total() + SLACK, late::toString);
            memories.forEach(SixteenGuestsIT::assertAllFree);
        } finally {
            threads.shutdownNow();
            memories.forEach(MemoryRegion::close);
        }
    }

    /** The memory of a link, seen from outside. */
    static MemoryRegion memoryOf(ShmLink link) {
        String name = "/memfd:carillon-link-" + link.peerId() + " (deleted)";
        int number = Descriptors.open().entrySet().stream()
                .filter(each -> each.getValue().equals(name))
                .mapToInt(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        return MemoryRegion.ofDescriptor(number, Access.READ_ONLY);
    }

    private static Callable<Void> sending(ShmLink link, NumberedFlow flow, long end) {
        return () -> {
            // Some frames also where this thread comes to run when the time is over.
            do {
                for (int i = 0; i < 16; i++) {
                    flow.sendOne(link);
                }
            } while (System.nanoTime() - end < 0);
            flow.sendEnd(link);
            return null;
        };
    }

    /** Both sides have received all, and nobody keeps a frame. */
    private static void assertAllFree(MemoryRegion memory) {
        for (DirectionLayout at :
                List.of(CONFIG.layout().toGuest(), CONFIG.layout().toHost())) {
            assertEquals(
                    memory.bytes().getLongAcquire(at.head()),
                    memory.bytes().getLongAcquire(at.tail()),
                    "entries that nobody has read");
            for (int slot = 0; slot < at.slots(); slot++) {
                long word = memory.bytes().getLongAcquire(at.slotWord(slot));
                assertEquals(0, (int) word, "slot " + slot + " is " + SlotWord.describe(word));
            }
        }
    }

    /** Some guests in one process. */
    static final class Guests {
        public static void main(String[] args) throws Exception {
            // The first one makes what all of them share.
            EventLoop.shared();
            int before = Descriptors.count();
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                ShmLink link = ShmGuest.connect(Path.of(args[0]), LIMIT);
                Thread thread = new Thread(() -> serve(link, failures), "guest " + i);
                threads.add(thread);
                thread.start();
            }
            for (Thread each : threads) {
                each.join();
            }
            synchronized (failures) {
                failures.forEach(Throwable::printStackTrace);
                awaitNoMoreThan(before);
                System.exit(failures.isEmpty() ? 0 : 1);
            }
        }

        private static void serve(ShmLink link, List<Throwable> failures) {
            try (link) {
                NumberedFlow in = new NumberedFlow(seed(link, true));
                NumberedFlow out = new NumberedFlow(seed(link, false));
                Thread receiver = new Thread(() -> noting(failures, () -> in.receiveAll(link)), "receiver");
                receiver.start();
                noting(failures, () -> {
                    do {
                        out.sendOne(link);
                    } while (receiver.isAlive());
                    receiver.join();
                    out.sendEnd(link);
                    // The host has read all, and leaves.
                    NumberedFlow.ensure(link.receive(LIMIT) == null, "nothing after the end", in);
                });
            }
        }

        private static void noting(List<Throwable> failures, Work work) {
            try {
                work.run();
            } catch (InterruptedException | RuntimeException | Error failure) {
                synchronized (failures) {
                    failures.add(failure);
                }
            }
        }

        private interface Work {
            void run() throws InterruptedException;
        }
    }
}
