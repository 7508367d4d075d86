package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.LoopStats;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything at once, for a while, on one group of loops; counted at the end. */
abstract class LoopSoakContract extends LoopCase {
    private static final int LOOPS = 3;
    private static final int DRIVERS = 2;

    /** How long it lasts. */
    abstract Duration length();

    // r[verify loop.stop] r[verify io.cancel] r[verify loop.no-leak]
    @Test
    void underMixedLoadEveryOperationIsToldOnceAndNothingStays(@TempDir Path folder, @Seeded long seed)
            throws InterruptedException {
        System.out.println("soak of " + length() + ", seed " + seed);
        // What is opened once and stays, is opened before the counting.
        open().close();
        int before = Descriptors.count();
        SplittableRandom random = new SplittableRandom(seed);
        SoakLoad load;
        List<LoopStats> stats = new ArrayList<>();
        try (EventLoopGroup group = EventLoopGroup.start(LOOPS, options().build())) {
            List<ServerSocket> servers = List.of(
                    ServerSocket.bind(group.get(0), localFour()),
                    ServerSocket.bind(group.get(1), localSix()),
                    ServerSocket.bind(group.get(2), UnixDomainSocketAddress.of(folder.resolve("soak")), 4));
            servers.forEach(server -> Echoing.on(server, 4096));
            load = new SoakLoad(group, servers, options().build());
            long end = System.nanoTime() + length().toNanos();
            drive(load, random, end);
            Deadline.after(LIMIT).await("all is told: " + load, load.count()::isQuiet);
            for (ServerSocket server : servers) {
                get(server.closeAsync());
            }
            for (int i = 0; i < LOOPS; i++) {
                EventLoop loop = group.get(i);
                Deadline.after(LIMIT)
                        .await(
                                "nothing waits on " + loop,
                                () -> on(loop, () -> loop.stats().pendingOperations() == 0));
                stats.add(loop.stats());
            }
        }
        System.out.println("soak: " + load + ", "
                + stats.stream().map(LoopStats::operations).toList());
        assertEquals(List.of(), load.count().defects());
        assertTrue(errors.isEmpty(), errors::toString);
        assertTrue(load.isComplete(), () -> "one kind of load was missing: " + load);
        assertTrue(
                Deadline.after(LIMIT).poll(() -> Descriptors.count() <= before),
                () -> before + " descriptors before, now " + Descriptors.open());
    }

    private static void drive(SoakLoad load, SplittableRandom random, long end) throws InterruptedException {
        List<Thread> drivers = new ArrayList<>();
        for (int i = 0; i < DRIVERS; i++) {
            SplittableRandom own = random.split();
            Thread driver = new Thread(() -> {
                // A machine that stood still meanwhile has had no time for each kind.
                while (System.nanoTime() - end < 0 || !load.isComplete()) {
                    load.one(own);
                }
            });
            drivers.add(driver);
            driver.start();
        }
        for (Thread driver : drivers) {
            long left = Math.max(0, end - System.nanoTime());
            driver.join(TimeUnit.NANOSECONDS.toMillis(left) + LIMIT.toMillis());
            assertTrue(!driver.isAlive(), () -> "a driver hangs: " + List.of(driver.getStackTrace()));
        }
    }
}
