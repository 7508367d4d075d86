package dev.carillon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SignalTest {
    @Test
    void everyFormOfANameMeansTheSameSignal() {
        for (String form : List.of("SIGTERM", "TERM", "term", "sigterm", " 15 ", "15")) {
            assertSame(Signal.SIGTERM, Signal.named(form), form);
        }
    }

    @Test
    void everySignalIsFoundByItsOwnNameAndNumber() {
        for (int number = 1; number <= 64; number++) {
            Signal signal = Signal.of(number);
            assertEquals(number, signal.number());
            assertSame(signal, Signal.named(signal.name()));
            assertSame(signal, Signal.named(Integer.toString(number)));
        }
    }

    @Test
    void oldNamesAreKnown() {
        assertSame(Signal.SIGABRT, Signal.named("SIGIOT"));
        assertSame(Signal.SIGCHLD, Signal.named("CLD"));
        assertSame(Signal.SIGIO, Signal.named("poll"));
    }

    @Test
    void realTimeSignalsCountFromBothEnds() {
        assertEquals(34, Signal.realtime(0).number());
        assertSame(Signal.realtime(0), Signal.named("RTMIN"));
        assertSame(Signal.realtime(0), Signal.named("SIGRTMIN+0"));
        assertSame(Signal.realtime(2), Signal.named("rtmin+2"));
        assertSame(Signal.of(63), Signal.named("SIGRTMAX-1"));
        assertSame(Signal.of(64), Signal.realtime(30));
        assertEquals("SIGRTMIN+2", Signal.realtime(2).toString());
        assertTrue(Signal.realtime(0).isRealtime());
        assertFalse(Signal.SIGTERM.isRealtime());
    }

    @Test
    void whatIsNoSignalIsRefusedWithAdvice() {
        for (String wrong : List.of("", "SIG", "SIGFOO", "0", "65", "-1", "RTMIN+31", "RTMAX-31", "SIG 15")) {
            IllegalArgumentException failure =
                    assertThrows(IllegalArgumentException.class, () -> Signal.named(wrong), wrong);
            assertTrue(String.valueOf(failure.getMessage()).contains("SIGTERM, TERM or 15"), failure::toString);
        }
        assertThrows(IllegalArgumentException.class, () -> Signal.of(0));
        assertThrows(IllegalArgumentException.class, () -> Signal.of(65));
        assertThrows(IllegalArgumentException.class, () -> Signal.realtime(-1));
        assertThrows(IllegalArgumentException.class, () -> Signal.realtime(31));
    }

    @Test
    void constantsHaveTheKernelsNumbers() {
        assertEquals(
                List.of(1, 2, 3, 9, 10, 12, 13, 14, 15, 17, 18, 28),
                List.of(
                                Signal.SIGHUP,
                                Signal.SIGINT,
                                Signal.SIGQUIT,
                                Signal.SIGKILL,
                                Signal.SIGUSR1,
                                Signal.SIGUSR2,
                                Signal.SIGPIPE,
                                Signal.SIGALRM,
                                Signal.SIGTERM,
                                Signal.SIGCHLD,
                                Signal.SIGCONT,
                                Signal.SIGWINCH)
                        .stream()
                        .map(Signal::number)
                        .toList());
    }

    @Test
    void signalsAreOrderedByNumber() {
        assertTrue(Signal.SIGHUP.compareTo(Signal.SIGINT) < 0);
        assertEquals(0, Signal.SIGINT.compareTo(Signal.of(2)));
    }
}
