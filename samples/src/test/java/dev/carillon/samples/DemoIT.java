package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.samples.demo.Demo;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class DemoIT {
    /** What the tour shows, in this order; it checks by itself what stands behind. */
    private static final List<String> SHOWN = List.of(
            "1\\. The doctor looks at this machine",
            "   \\d+ checks, \\d+ notes, 0 problems",
            "2\\. A service in Kotlin gets three signals, each from another process",
            "   it says: SIGUSR1 from pid \\d+, uid \\d+",
            "   it says: SIGHUP from pid \\d+, uid \\d+",
            "   it says: SIGTERM from pid \\d+, uid \\d+",
            "   and exits with 143",
            "   it says: child 1 ended: terminated by SIGKILL",
            "   it says: all children have ended",
            "   \\d+ round trips, .* us each",
            "   the bell says PEER_GONE, the guest terminated by SIGKILL",
            "   together they counted 2000000",
            "   the killed one exits with 137",
            "   [1-9]\\d* answers/s from 2 guests",
            "   it says: SIGTERM: all guests have left",
            "8\\. A service with a request in flight is told to end; .*",
            "   it says: no request is accepted any more",
            "   it says: the last request is answered",
            "   it says: the storage is closed",
            "   and exits with 143",
            "   the other says: Press Ctrl\\+C again within 60s to force quit",
            "   the other says: a hook hangs",
            "   and exits with 130",
            "Done\\. .*");

    @Test
    void theTourShowsTheMainJobAndEachStepHolds() {
        assertTours(demo -> demo);
    }

    @Test
    void belowNohupTheTourIsTheSame() {
        assertTours(demo -> demo.ignoreSignals("HUP", "INT"));
    }

    private static void assertTours(UnaryOperator<ChildJvm> how) {
        ChildExit exit = how.apply(ChildJvm.of(Demo.class)).run(Duration.ofSeconds(110));
        assertEquals(0, exit.code(), exit::toString);
        // Who awaits an ignored signal is told so; nothing else is said.
        assertEquals(
                List.of(),
                exit.stderr().stream()
                        .filter(line -> !line.contains("was ignored when this process began"))
                        .toList(),
                exit::toString);
        var lines = exit.stdout().iterator();
        for (String shown : SHOWN) {
            String line = "";
            while (!line.matches(shown)) {
                assertTrue(lines.hasNext(), () -> "no line " + shown + " in its place: " + exit);
                line = lines.next();
            }
        }
    }
}
