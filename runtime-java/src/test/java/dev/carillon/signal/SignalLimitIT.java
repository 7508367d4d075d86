package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.SignalLog;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a limit is used up: that of the kernel's queue of signals, or that of descriptors. */
final class SignalLimitIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    private static void assertSays(String words, ChildExit exit) {
        assertTrue(
                Stream.concat(exit.stdout().stream(), exit.stderr().stream()).anyMatch(line -> line.contains(words)),
                () -> words + ": " + exit);
    }

    // r[verify signal.self-test]
    @ParameterizedTest
    @MethodSource("jdks")
    void withAFullQueueNoSignalIsInventedAndStandardOnesComeWithTheirSender(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Attaches.class)
                .jdk(jdk)
                .vmFlags(LogOnStderr.FLAG)
                .prefix("prlimit", "--sigpending=0")
                .start()) {
            child.awaitLine("ready FORWARDER, pending 0, arrived 0", LIMIT);
            long sender = child.send("TERM");
            child.awaitLine("got SIGTERM from PROCESS " + sender, LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertSays(
                    "WARN The kernel's queue of signals of this user is full (RLIMIT_SIGPENDING, ulimit -i, is 0",
                    exit);
            assertSays("{SIGRTMIN+1} is attached nevertheless", exit);
            exit.assertPrinted("arrived 1");
        }
    }

    static final class Attaches {
        private Attaches() {}

        public static void main(String[] args) throws Exception {
            SignalSet signals =
                    SignalSet.of(Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP).plus(Signal.realtime(1));
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, signals)) {
                // What the loop has read before this is pending by now.
                SignalCase.on(loop, () -> true);
                System.out.println("ready " + service.capture() + ", pending "
                        + service.stats().pending() + ", arrived "
                        + service.stats().arrived());
                SignalChild.print(service.awaitAny(signals).get(60, TimeUnit.SECONDS));
                System.out.println("arrived " + service.stats().arrived());
            }
        }
    }

    // r[verify signal.pending-bound]
    @ParameterizedTest
    @MethodSource("jdks")
    void droppedStandardSignalsAreCountedAndLoggedOncePerEpisode(Jdk jdk) {
        ChildExit exit =
                ChildJvm.of(Floods.class).jdk(jdk).vmFlags(LogOnStderr.FLAG).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted("dropped 20");
        long warnings = exit.stderr().stream()
                .filter(line -> line.startsWith("WARN SIGURG comes faster than it is taken: 4 are pending"))
                .count();
        assertEquals(2, warnings, exit::toString);
    }

    static final class Floods {
        private Floods() {}

        public static void main(String[] args) {
            SignalOptions options = SignalOptions.builder().pendingStandard(4).build();
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGURG), options)) {
                for (int episode = 0; episode < 2; episode++) {
                    for (int i = 0; i < 14; i++) {
                        service.inject(SignalInfo.of(Signal.SIGURG));
                    }
                    for (int i = 0; i < 4; i++) {
                        service.await(Signal.SIGURG).join();
                    }
                }
                System.out.println("dropped " + service.stats().dropped());
            }
        }
    }

    /** The VM's own signals come without details then, but they are the VM's. */
    // r[verify signal.vm-tools]
    @ParameterizedTest
    @MethodSource("jdks")
    void withAFullQueueAFlightRecordingStillSamples(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(SignalVmToolsIT.Recorded.class)
                .jdk(jdk)
                .prefix("prlimit", "--sigpending=0")
                .start()) {
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

    // r[verify signal.transient] r[verify signal.fallback]
    @ParameterizedTest
    @MethodSource("jdks")
    void whenDescriptorsRunOutTheForwarderIsTriedAgainByTheNextAttach(Jdk jdk) {
        ChildExit exit =
                ChildJvm.of(RunsOut.class).jdk(jdk).vmFlags(LogOnStderr.FLAG).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertSays("first JVM", exit);
        assertSays("WARN {SIGURG} of SignalService[", exit);
        assertSays("EMFILE", exit);
        assertSays("real-time: EMFILE, with advice true", exit);
        assertSays("second FORWARDER", exit);
        assertSays("another FORWARDER", exit);
        assertSays("got SIGURG from UNKNOWN", exit);
        assertSays("got SIGWINCH from PROCESS", exit);
        assertSays("done", exit);
    }

    static final class RunsOut {
        private RunsOut() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            try (EventLoop loop = EventLoop.open().start()) {
                SignalService service = SignalService.on(loop);
                Limit before = sys.processes().limit(Constants.RLIMIT_NOFILE);
                // Classes and libraries are there; from now on nothing can be opened.
                warmUp();
                int used = sys.clocks().event(0).acquire();
                sys.processes().setLimit(Constants.RLIMIT_NOFILE, new Limit(used, before.hard()));
                CompletableFuture<SignalInfo> urg = service.await(Signal.SIGURG);
                SignalCase.on(loop, () -> true);
                System.out.println("first " + service.capture());
                try (SignalService realtime = SignalService.attach(loop, SignalSet.of(Signal.realtime(1)))) {
                    System.out.println("real-time: " + realtime.capture());
                } catch (SyscallException refused) {
                    System.out.println("real-time: " + refused.errnoName() + ", with advice "
                            + String.valueOf(refused.getMessage()).contains("ulimit -n"));
                } catch (UnsupportedOperationException blamesTheVm) {
                    System.out.println("real-time: " + blamesTheVm.getMessage());
                }
                sys.processes().setLimit(Constants.RLIMIT_NOFILE, before);
                CompletableFuture<SignalInfo> winch = service.await(Signal.SIGWINCH);
                SignalCase.on(loop, () -> true);
                System.out.println("second " + service.capture());
                try (SignalService another = SignalService.attach(loop, SignalSet.of(Signal.SIGCONT))) {
                    System.out.println("another " + another.capture());
                }
                int pid = (int) ProcessHandle.current().pid();
                Signals.send(pid, Signal.SIGURG);
                Signals.send(pid, Signal.SIGWINCH);
                SignalChild.print(urg.get(30, TimeUnit.SECONDS));
                SignalChild.print(winch.get(30, TimeUnit.SECONDS));
            }
            System.out.println("done");
        }

        /** Classes come from files, so they are loaded before. */
        private static void warmUp() throws Exception {
            for (Class<?> one : List.of(SignalService.class, SignalLimitIT.class)) {
                Path root = Path.of(
                        one.getProtectionDomain().getCodeSource().getLocation().toURI());
                if (!Files.isDirectory(root)) {
                    continue;
                }
                try (Stream<Path> files = Files.walk(root.resolve("dev/carillon"))) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".class"))
                            .toList()) {
                        load(root.relativize(file).toString());
                    }
                }
            }
            SignalOptions options =
                    SignalOptions.builder().capture(CaptureKind.JVM).build();
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGURG), options)) {
                service.await(Signal.SIGURG).cancel(false);
                SignalCase.on(loop, () -> true);
            }
            SignalLog.LOG.prepare();
        }

        private static void load(String file) {
            String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
            if (name.startsWith("dev.carillon.s") || name.startsWith("dev.carillon.l") || !name.contains("test")) {
                try {
                    Class.forName(name, false, RunsOut.class.getClassLoader());
                } catch (ClassNotFoundException | LinkageError notForThisJdk) {
                    System.out.println("not loaded: " + notForThisJdk);
                }
            }
        }
    }
}
