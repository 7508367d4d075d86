package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.layout.SyscallNumbers;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Where the forwarder cannot be used, or must not be. */
final class SignalRefusalIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ChildExit run(Class<?> main, String flag, String... args) {
        ChildExit exit = ChildJvm.of(main).vmFlags(flag).args(args).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit;
    }

    private static void assertSays(ChildExit exit, String words) {
        assertTrue(exit.stdout().stream().anyMatch(line -> line.contains(words)), () -> words + ": " + exit);
    }

    /** Attaches what it is told, says how, and whether a signal of each kind arrives. */
    static final class Attaches {
        public static void main(String[] args) {
            SignalSet signals =
                    SignalSet.copyOf(Arrays.stream(args).map(Signal::named).toList());
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, signals)) {
                System.out.println(service.capture() + ": " + service.captureReason());
                for (Signal signal : signals) {
                    Signals.send((int) ProcessHandle.current().pid(), signal);
                    System.out.println("got " + service.await(signal).join().signal());
                }
            } catch (UnsupportedOperationException | IllegalArgumentException refused) {
                System.out.println("refused: " + refused.getMessage());
            }
        }
    }

    /** The same where a profile takes a call of the forwarder away. */
    static final class AttachesWithoutForwarding {
        public static void main(String[] args) {
            Seccomp.refuse(LibC.get(), Errno.EPERM, SyscallNumbers.RT_TGSIGQUEUEINFO);
            Attaches.main(args);
        }
    }

    // r[verify signal.attach] r[verify signal.fallback]
    @Test
    void whereTheSelfTestFailsTheJvmTakesOverAndSaysWhy() {
        ChildExit exit = run(AttachesWithoutForwarding.class, LogOnStderr.FLAG, "TERM", "USR1");
        assertTrue(
                exit.stderr().stream()
                        .anyMatch(line -> line.startsWith("WARN {SIGUSR1, SIGTERM} of SignalService[")
                                && line.contains(
                                        "come by the JVM capture, without their sender: the forwarder cannot be"
                                                + " used: rt_tgsigqueueinfo failed: EPERM")),
                exit::toString);
        assertSays(exit, "JVM: the forwarder cannot be used: rt_tgsigqueueinfo failed: EPERM");
        assertSays(exit, "got SIGTERM");
        assertSays(exit, "got SIGUSR1");
    }

    // r[verify signal.attach]
    @Test
    void aForcedForwarderThatCannotWorkIsAnError() {
        try (ChildProcess child = ChildJvm.of(AttachesWithoutForwarding.class)
                .vmFlags("-Dcarillon.signals=forwarder")
                .args("TERM")
                .start()) {
            child.awaitLine(java.util.regex.Pattern.compile("rt_tgsigqueueinfo failed: EPERM"), LIMIT);
            assertEquals(1, child.awaitExit(LIMIT).code());
        }
    }

    @Test
    void aPropertyChoosesTheCapture() {
        assertSays(run(Attaches.class, "-Dcarillon.signals=jvm", "TERM", "USR1"), "JVM: forced");
        assertSays(run(Attaches.class, "-Dcarillon.signals=forwarder", "TERM", "USR2"), "FORWARDER: forced");
        assertSays(
                run(Attaches.class, "-Dcarillon.signals=pigeon", "TERM"),
                "refused: -Dcarillon.signals=pigeon is unknown; allowed are forwarder and jvm");
    }

    @Test
    void theJvmCaptureSaysWhatTheVmKeeps() {
        for (String name : new String[] {"QUIT", "USR2", "RTMIN+1"}) {
            assertSays(
                    run(Attaches.class, "-Dcarillon.signals=jvm", "TERM", name),
                    "refused: the VM does not hand out " + Signal.named(name));
        }
    }

    @Test
    void withReducedSignalsTheJvmCaptureRefusesTerm() {
        try (ChildProcess child = ChildJvm.of(Attaches.class)
                .vmFlags("-Xrs", "-Dcarillon.signals=jvm")
                .args("TERM")
                .start()) {
            child.awaitLine("refused: the VM does not hand out SIGTERM", LIMIT);
        }
    }

    // r[verify signal.attach]
    @Test
    void aCarrierThatIsTakenOrUnfitIsNamed() {
        assertSays(run(Attaches.class, "-Dcarillon.signals.carrier=SIGTERM", "TERM"), "only a real-time signal queues");
        assertSays(
                run(TakesTheCarrier.class, "-Dcarillon.signals.carrier=SIGRTMAX-3", "TERM"),
                "JVM: the forwarder cannot be used: forwarder is not available: -Dcarillon.signals.carrier=SIGRTMAX-3: "
                        + "SIGRTMIN+27 is taken by somebody else's handler");
        assertSays(run(Attaches.class, "-Dcarillon.signals.carrier=SIGRTMIN+2", "TERM", "RTMAX"), "FORWARDER");
        assertSays(
                run(Attaches.class, "-Dcarillon.signals.carrier=SIGRTMIN+2", "TERM", "RTMIN+2"),
                "refused: signal=SIGRTMIN+2");
    }

    static final class TakesTheCarrier {
        public static void main(String[] args) {
            var signals = dev.carillon.sys.call.Sys.get().signals();
            signals.setAction(61, new dev.carillon.sys.call.SignalAction(1, 0, 0));
            Attaches.main(args);
        }
    }
}
