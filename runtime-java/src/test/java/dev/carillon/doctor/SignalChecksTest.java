package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.doctor.Check.Level;
import dev.carillon.signal.CaptureKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignalChecksTest {
    @Test
    void aSignalIsSentTheWholeWay() {
        List<Check> checks = SignalChecks.run();
        Check signals = MachineFiles.named(checks, "signals");
        assertEquals(
                CaptureKind.FORWARDER.availability().isAvailable(), signals.level() == Level.OK, signals.toString());
    }

    @Test
    void theJvmCaptureIsANoteWithItsReason() {
        Check jvm = SignalChecks.of(CaptureKind.JVM, "the forwarder cannot be used: EPERM");
        assertEquals(Level.NOTE, jvm.level());
        assertEquals("jvm: the forwarder cannot be used: EPERM", jvm.found());
        assertTrue(String.valueOf(jvm.advice()).contains("without their sender"));
    }

    // r[verify signal.displaced]
    @Test
    void aHandlerOverOursIsAProblemWithAdvice() {
        Check check = SignalChecks.ofDisplaced(SignalSet.of(Signal.SIGURG));
        assertTrue(check.found().contains("{SIGURG}"), check::toString);
        assertTrue(String.valueOf(check.advice()).contains("SignalService.displaced()"), check::toString);
    }
}
