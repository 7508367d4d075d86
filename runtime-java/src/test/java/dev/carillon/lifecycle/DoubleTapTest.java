package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.lifecycle.DoubleTap.Tap;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a second INT ends the process at once. */
// r[verify life.double-tap]
final class DoubleTapTest {
    private static final long PARENT = 77;
    private static final int SI_KERNEL = 0x80;
    private static final SignalInfo TERMINAL = new SignalInfo(Signal.SIGINT, SI_KERNEL, 0, 0, 0, 0, 0);
    private static final SignalInfo FROM_PARENT = new SignalInfo(Signal.SIGINT, 0, (int) PARENT, 0, 0, 0, 0);
    private static final SignalInfo FROM_OTHER = new SignalInfo(Signal.SIGINT, 0, 99, 0, 0, 0, 0);
    private static final SignalInfo UNKNOWN = SignalInfo.of(Signal.SIGINT);
    private static final long MILLI = 1_000_000;

    private final DoubleTap taps = new DoubleTap(Duration.ofSeconds(2), () -> PARENT);

    @Test
    void theSecondWithinTheWindowForcesTheEnd() {
        assertEquals(Tap.FIRST, taps.tap(TERMINAL, 5));
        assertEquals(Tap.FORCE, taps.tap(TERMINAL, 5 + 2_000 * MILLI - 1));
    }

    @Test
    void theWindowEndsStrictlyAndTheNextTapArmsAnew() {
        assertEquals(Tap.FIRST, taps.tap(TERMINAL, 5));
        assertEquals(Tap.FIRST, taps.tap(TERMINAL, 5 + 2_000 * MILLI));
        assertEquals(Tap.FORCE, taps.tap(TERMINAL, 5 + 2_001 * MILLI));
    }

    @Test
    void aThirdOneForcesToo() {
        taps.tap(TERMINAL, 0);
        assertEquals(Tap.FORCE, taps.tap(TERMINAL, 1));
        assertEquals(Tap.FORCE, taps.tap(TERMINAL, 2));
    }

    @Test
    void aClockThatIsAboutToWrapChangesNothing() {
        assertEquals(Tap.FIRST, taps.tap(TERMINAL, Long.MAX_VALUE - 10));
        assertEquals(Tap.FORCE, taps.tap(TERMINAL, Long.MIN_VALUE + 10));
    }

    @Test
    void withAWindowOfZeroNothingIsEverForced() {
        DoubleTap never = new DoubleTap(Duration.ZERO, () -> PARENT);
        assertEquals(Tap.FIRST, never.tap(TERMINAL, 7));
        assertEquals(Tap.FIRST, never.tap(TERMINAL, 7));
        assertFalse(never.canForce());
        assertTrue(taps.canForce());
    }

    @Test
    void theTerminalsAndTheParentsWithinAQuarterSecondAreOne() {
        assertEquals(Tap.FIRST, taps.tap(TERMINAL, 0));
        assertEquals(Tap.SAME, taps.tap(FROM_PARENT, 249 * MILLI));
        assertEquals(Tap.FORCE, taps.tap(FROM_PARENT, 250 * MILLI));
        DoubleTap other = new DoubleTap(Duration.ofSeconds(2), () -> PARENT);
        assertEquals(Tap.FIRST, other.tap(FROM_PARENT, 0));
        assertEquals(Tap.SAME, other.tap(TERMINAL, 1));
        assertEquals(Tap.FORCE, other.tap(TERMINAL, 300 * MILLI));
    }

    @Test
    void twoOfOneSenderAreTwoHoweverCloseTheyAre() {
        assertEquals(Tap.FIRST, taps.tap(FROM_OTHER, 0));
        assertEquals(Tap.FORCE, taps.tap(FROM_OTHER, 1));
        DoubleTap jvm = new DoubleTap(Duration.ofSeconds(2), () -> PARENT);
        assertEquals(Tap.FIRST, jvm.tap(UNKNOWN, 0));
        assertEquals(Tap.FORCE, jvm.tap(UNKNOWN, 1));
    }

    @Test
    void whatIsLeftOfTheWindowCanBeAsked() {
        assertEquals(Duration.ZERO, taps.left(0));
        taps.tap(TERMINAL, 0);
        assertEquals(Duration.ofMillis(1_500), taps.left(500 * MILLI));
        assertEquals(Duration.ZERO, taps.left(2_000 * MILLI));
    }

    @ParameterizedTest
    @CsvSource({"2000, 2", "500, 0.5", "1250, 1.25", "10000, 10", "60000, 60", "1, 0.001"})
    void theHintNamesTheWindow(long millis, String seconds) {
        assertEquals(
                "Press Ctrl+C again within " + seconds + "s to force quit",
                new DoubleTap(Duration.ofMillis(millis), () -> PARENT).hint());
    }
}
