package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.CaptureKind;
import dev.carillon.signal.SignalOptions;
import dev.carillon.signal.SignalService;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Signals that were ignored when this process began, and are attached nevertheless. */
final class IgnoredChildIT {
    private static final String USR1 = "SigIgn:\t0000000000000200";
    private static final String NONE = "SigIgn:\t0000000000000000";

    /** The list of them is made before anything is attached, also where the first child comes only then. */
    // r[verify process.ignored]
    @ParameterizedTest
    @EnumSource(
            value = CaptureKind.class,
            names = {"FORWARDER", "JVM"})
    void aSignalThatWasIgnoredAtOurStartIsIgnoredByChildrenAgainWhenItIsDetached(CaptureKind capture) {
        ChildExit exit = ChildJvm.of(Attaching.class)
                .args(capture.name())
                .ignoreSignals("USR1")
                .run(Running.LIMIT);
        assertEquals(List.of(NONE, USR1, NONE), exit.stdout(), exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Prints what children ignore while the signal is attached, afterwards, and afterwards without the inherited. */
    static final class Attaching {
        private Attaching() {}

        public static void main(String[] args) {
            Spawn.Builder ignored = Spawn.command("grep", "SigIgn", "/proc/self/status");
            SignalOptions options = SignalOptions.builder()
                    .capture(CaptureKind.valueOf(args[0]))
                    .evenIgnored(true)
                    .build();
            try (EventLoop loop = EventLoop.open().start()) {
                try (SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGUSR1), options)) {
                    assertEquals(SignalSet.of(Signal.SIGUSR1), service.attached());
                    Running.linesOf(ignored, loop).forEach(System.out::println);
                }
                Running.linesOf(ignored, loop).forEach(System.out::println);
                Running.linesOf(ignored.resetIgnored(), loop).forEach(System.out::println);
            }
        }
    }
}
