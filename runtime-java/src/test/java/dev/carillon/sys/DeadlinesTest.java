package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

// r[verify timer.extremes]
final class DeadlinesTest {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    @Test
    void aDelayIsCountedFromNow() {
        assertEquals(1_007, Deadlines.after(1_000, Duration.ofNanos(7)));
        assertEquals(1_000, Deadlines.after(1_000, Duration.ZERO));
        assertEquals(-993, Deadlines.after(-1_000, Duration.ofNanos(7)));
    }

    @Test
    void aNegativeDelayIsOverNow() {
        assertEquals(1_000, Deadlines.after(1_000, Duration.ofNanos(-1)));
        assertEquals(1_000, Deadlines.after(1_000, Duration.ofSeconds(Long.MIN_VALUE)));
        assertEquals(Long.MIN_VALUE, Deadlines.after(Long.MIN_VALUE, Duration.ofNanos(-1)));
    }

    @Test
    void aDelayThatTheClockCannotCountIsNeverOver() {
        assertEquals(Deadlines.NEVER, Deadlines.after(0, LONGEST));
        assertEquals(Deadlines.NEVER, Deadlines.after(Long.MIN_VALUE, LONGEST));
        assertEquals(Deadlines.NEVER, Deadlines.after(1, Duration.ofNanos(Long.MAX_VALUE)));
        assertEquals(Deadlines.NEVER, Deadlines.after(Long.MAX_VALUE, Duration.ofNanos(1)));
        assertEquals(Long.MAX_VALUE - 1, Deadlines.after(-1, Duration.ofNanos(Long.MAX_VALUE)));
    }

    @Test
    void whatIsLeftIsNeverNegativeAndNeverWrapsAround() {
        assertEquals(5, Deadlines.until(1_005, 1_000));
        assertEquals(0, Deadlines.until(1_000, 1_000));
        assertEquals(0, Deadlines.until(999, 1_000));
        assertEquals(0, Deadlines.until(Long.MIN_VALUE, Long.MAX_VALUE));
        assertEquals(Long.MAX_VALUE, Deadlines.until(Long.MAX_VALUE, Long.MIN_VALUE));
        assertEquals(Long.MAX_VALUE, Deadlines.until(Deadlines.NEVER, -1));
    }

    @Test
    void aDeadlineThatIsADelayIsRefusedInWordsThatHelp() {
        Deadlines.ensureNotNegative(0);
        Deadlines.ensureNotNegative(Deadlines.NEVER);
        var refused = assertThrows(IllegalArgumentException.class, () -> Deadlines.ensureNotNegative(-1));
        assertTrue(String.valueOf(refused.getMessage()).startsWith("deadlineNanos=-1: "), refused.toString());
    }
}
