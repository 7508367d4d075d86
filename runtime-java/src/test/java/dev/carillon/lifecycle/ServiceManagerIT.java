package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.io.DatagramSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Futures;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a service manager hears of a program with a lifecycle; the manager is a Unix socket of this test. */
// r[verify life.notify]
final class ServiceManagerIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String BEAT = "WATCHDOG=1";

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final List<DatagramSocket> sockets = new ArrayList<>();

    @AfterEach
    void closeAll() {
        sockets.forEach(DatagramSocket::close);
        loop.close();
    }

    /** What the program tells. */
    private final class Manager {
        private final DatagramSocket socket;

        Manager(SocketAddress at) {
            socket = DatagramSocket.bind(loop, at);
            sockets.add(socket);
        }

        String next() {
            ByteBuffer message = ByteBuffer.allocate(4096);
            Futures.get(socket.receiveAsync(message));
            return StandardCharsets.UTF_8.decode(message.flip()).toString();
        }
    }

    private ChildJvm service(String mode, String socket) {
        return ChildJvm.of(Service.class).args(mode).environment("NOTIFY_SOCKET", socket);
    }

    private ChildProcess started(ChildJvm program) {
        ChildProcess child = program.start();
        child.awaitLine("started", LIMIT);
        return child;
    }

    private Path path() {
        return folder.resolve("notify");
    }

    @Test
    void theManagerHearsOfReadinessOfEachReloadAndOfTheEnd() {
        Manager manager = new Manager(UnixDomainSocketAddress.of(path()));
        try (ChildProcess child = started(service("reloads", path().toString()))) {
            assertEquals("STATUS=it looks around", manager.next());
            assertEquals("READY=1", manager.next());
            long before = System.nanoTime() / 1_000;
            child.send("HUP");
            String reloading = manager.next();
            long after = System.nanoTime() / 1_000;
            String begin = "RELOADING=1\nMONOTONIC_USEC=";
            assertTrue(reloading.startsWith(begin), reloading);
            long at = Long.parseLong(reloading.substring(begin.length()));
            assertTrue(before <= at && at <= after, before + " " + reloading + " " + after);
            assertEquals("READY=1\nSTATUS=The new configuration was refused by configuration", manager.next());
            child.send("HUP");
            assertTrue(manager.next().startsWith(begin));
            assertEquals("STOPPING=1", manager.next());
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(129, exit.code(), exit::toString);
        }
    }

    // r[verify life.close]
    @Test
    void theManagerHearsThatAReloadIsOverWhoseLifecycleIsClosed() {
        Manager manager = new Manager(UnixDomainSocketAddress.of(path()));
        try (ChildProcess child = started(service("closes", path().toString()))) {
            assertEquals("STATUS=it looks around", manager.next());
            assertEquals("READY=1", manager.next());
            child.send("HUP");
            assertTrue(manager.next().startsWith("RELOADING=1\n"));
            assertEquals("READY=1", manager.next());
            child.awaitLine("closed", LIMIT);
        }
    }

    @Test
    void theManagerMayHaveAnAbstractName() {
        String name = "carillon-notify-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        Manager manager = new Manager(AbstractSocketAddress.of(name));
        try (ChildProcess child = started(service("plain", "@" + name))) {
            assertEquals("STATUS=it looks around", manager.next());
            assertEquals("READY=1", manager.next());
            child.send("TERM");
            assertEquals("STOPPING=1", manager.next());
            assertEquals(143, child.awaitExit(LIMIT).code());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/no/such/socket", "vsock:2:1234", "@"})
    void aManagerThatCannotBeReachedCostsAWarningAndNothingElse(String socket) {
        try (ChildProcess child = started(service("plain", socket))) {
            child.send("TERM");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    1,
                    exit.stderr().stream()
                            .filter(line -> line.contains("The service manager cannot be told"))
                            .count(),
                    exit::toString);
        }
    }

    /** The stuck loop is compared with the status that the program sends all the while. */
    @Test
    void theWatchdogHearsOfAProgramUntilALoopThatItWatchesIsStuckAndAgainLater() {
        Manager manager = new Manager(UnixDomainSocketAddress.of(path()));
        try (ChildProcess child =
                started(service("is stuck", path().toString()).environment("WATCHDOG_USEC", "100000"))) {
            await(manager, BEAT, 5);
            child.writeLine("stop");
            await(manager, "STATUS=stuck", 1);
            List<String> meanwhile = await(manager, "STATUS=still stuck", 20);
            assertTrue(count(meanwhile, BEAT) <= 1, meanwhile::toString);
            child.writeLine("go");
            await(manager, BEAT, 5);
            child.send("TERM");
            assertEquals(143, child.awaitExit(LIMIT).code());
        }
    }

    @Test
    void anIntervalThatIsNoNumberSwitchesOffTheWatchdogOnly() {
        Manager manager = new Manager(UnixDomainSocketAddress.of(path()));
        try (ChildProcess child = started(service("plain", path().toString()).environment("WATCHDOG_USEC", "soon"))) {
            assertEquals("STATUS=it looks around", manager.next());
            assertEquals("READY=1", manager.next());
            child.send("TERM");
            assertEquals("STOPPING=1", manager.next());
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stderr().stream().anyMatch(line -> line.contains("WATCHDOG_USEC=soon")), exit::toString);
        }
    }

    @Test
    void aWatchdogThatIsAboutAnotherProcessHearsNothing() {
        Manager manager = new Manager(UnixDomainSocketAddress.of(path()));
        try (ChildProcess child = started(service("is stuck", path().toString())
                .environment("WATCHDOG_USEC", "1000")
                .environment("WATCHDOG_PID", "1"))) {
            child.writeLine("stop");
            assertEquals(0, count(await(manager, "STATUS=still stuck", 20), BEAT));
            child.send("TERM");
            assertEquals(143, child.awaitExit(LIMIT).code());
        }
    }

    private static long count(List<String> messages, String which) {
        return messages.stream().filter(which::equals).count();
    }

    /** Hears so many of that kind, and returns all that came meanwhile. */
    private static List<String> await(Manager manager, String which, int times) {
        List<String> all = new ArrayList<>();
        while (count(all, which) < times) {
            all.add(manager.next());
        }
        return all;
    }

    /** A service, in the way that is named. */
    static final class Service {
        private static boolean isRefused;

        public static void main(String[] args) throws Exception {
            Lifecycle lifecycle = Lifecycle.builder().build();
            if (args[0].equals("reloads")) {
                lifecycle.onReload("configuration", Service::validate);
            }
            if (args[0].equals("closes")) {
                lifecycle.onReload("configuration", () -> {
                    lifecycle.close();
                    System.out.println("closed");
                });
            }
            lifecycle.start();
            lifecycle.status("it looks\naround");
            lifecycle.ready();
            lifecycle.ready();
            lifecycle.watch(EventLoop.shared());
            EventLoop ended = EventLoop.open().start();
            lifecycle.watch(ended);
            ended.close();
            System.out.println("started");
            if (args[0].equals("is stuck")) {
                System.in.read();
                getStuck(lifecycle);
            }
            new CountDownLatch(1).await();
        }

        private static void getStuck(Lifecycle lifecycle) throws Exception {
            CountDownLatch goesOn = new CountDownLatch(1);
            CountDownLatch isStuck = new CountDownLatch(1);
            EventLoop.shared().execute(() -> {
                isStuck.countDown();
                awaitQuietly(goesOn);
            });
            isStuck.await();
            lifecycle.status("stuck");
            // The rest of the first line.
            System.in.skip(System.in.available());
            while (System.in.available() == 0) {
                lifecycle.status("still stuck");
                goesOn.await(50, TimeUnit.MILLISECONDS); // as often as a beat
            }
            goesOn.countDown();
        }

        private static void awaitQuietly(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }

        private static void validate() {
            if (!isRefused) {
                isRefused = true;
                throw new IllegalArgumentException("bad, as this test wants it");
            }
        }
    }
}
