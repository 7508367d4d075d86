package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import dev.carillon.test.Programs;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The VM's own uses of QUIT and USR2 go on while both are attached. */
// r[verify signal.vm-tools]
final class SignalVmToolsIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String ATTACH_TIMEOUT = "-J-Dsun.tools.attach.attachTimeout=60000";

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    /** With plenty of time to find the VM: for half of the usual ten seconds, and it would send a second QUIT. */
    static ChildExit tool(Jdk jdk, String name, String... arguments) {
        Path program = jdk.home().resolve("bin").resolve(name);
        Programs.need(program.toString(), Files.isExecutable(program));
        String[] command = Stream.concat(Stream.of(program.toString(), ATTACH_TIMEOUT), Stream.of(arguments))
                .toArray(String[]::new);
        ChildExit exit = ChildCommand.of(command).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void jcmdAndJstackWorkAndOtherQuitsAreOurs(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(SignalChild.class)
                .jdk(jdk)
                .args("3", "QUIT", "USR2", "TERM")
                .start()) {
            child.awaitLine("ready FORWARDER", LIMIT);
            String pid = Long.toString(child.pid());
            ChildExit version = tool(jdk, "jcmd", pid, "VM.version");
            assertTrue(version.stdout().stream().anyMatch(line -> line.contains("JDK")), version::toString);
            ChildExit stack = tool(jdk, "jstack", pid);
            assertTrue(stack.stdout().stream().anyMatch(line -> line.contains("carillon-loop")), stack::toString);
            long quit = child.send("QUIT");
            child.awaitLine("got SIGQUIT from PROCESS " + quit, LIMIT);
            long user = child.send("USR2");
            child.awaitLine("got SIGUSR2 from PROCESS " + user, LIMIT);
            tool(jdk, "jcmd", pid, "Thread.print");
            child.send("TERM");
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    // r[verify signal.jfr]
    @ParameterizedTest
    @MethodSource("jdks")
    void aFlightRecordingSamplesTheLoopWhileItsSignalIsAttached(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Recorded.class).jdk(jdk).start()) {
            child.awaitLine("ready", LIMIT);
            for (int i = 0; i < 3; i++) {
                child.send("USR2");
                child.awaitLine("got SIGUSR2", LIMIT);
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("sampled true");
            exit.assertPrinted("deliveries 3");
        }
    }

    static final class Recorded {
        /** A hundred samples of what the loop has used itself, however little it gets of the machine. */
        private static final long USED_NANOS = Duration.ofSeconds(1).toNanos();

        private static volatile double sink;

        public static void main(String[] args) throws Exception {
            Path file = Files.createTempFile("carillon-", ".jfr");
            try (Recording recording = new Recording();
                    EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGUSR2, Signal.SIGQUIT))) {
                recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
                recording.enable("dev.carillon.SignalDelivered");
                recording.start();
                CompletableFuture<Boolean> isSampled = new CompletableFuture<>();
                work(loop, System.nanoTime() + Duration.ofSeconds(3).toNanos(), isSampled);
                System.out.println("ready");
                for (int i = 0; i < 3; i++) {
                    SignalChild.print(service.await(Signal.SIGUSR2).join());
                }
                isSampled.join();
                loop.requestStop();
                loop.awaitTermination(LIMIT);
                recording.stop();
                recording.dump(file);
            }
            var events = RecordingFile.readAllEvents(file);
            System.out.println("sampled "
                    + events.stream()
                            .filter(event -> event.getEventType().getName().equals("jdk.ExecutionSample"))
                            .anyMatch(event -> event.getThread("sampledThread") != null
                                    && event.getThread("sampledThread")
                                            .getJavaName()
                                            .equals("carillon-loop")));
            System.out.println("deliveries "
                    + events.stream()
                            .filter(event -> event.getEventType().getName().equals("dev.carillon.SignalDelivered"))
                            .filter(event -> event.getString("signal").equals("SIGUSR2")
                                    && event.getString("sender").equals("PROCESS")
                                    && event.getDuration("latency").toSeconds() < LIMIT.toSeconds())
                            .count());
            Files.delete(file);
        }

        /** Keeps the loop thread busy, a bit at a time. */
        private static void work(EventLoop loop, long until, CompletableFuture<Boolean> isOver) {
            loop.execute(() -> {
                double sum = 0;
                for (int i = 1; i < 50_000; i++) {
                    sum += Math.sqrt(i);
                }
                sink = sum;
                long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                if (System.nanoTime() - until < 0 || used < USED_NANOS) {
                    work(loop, until, isOver);
                } else {
                    isOver.complete(true);
                }
            });
        }
    }
}
