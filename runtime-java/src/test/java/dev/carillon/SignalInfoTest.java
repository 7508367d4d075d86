package dev.carillon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SignalInfo.Sender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignalInfoTest {
    // r[verify signal.siginfo]
    @ParameterizedTest
    @CsvSource({
        "0, 4711, PROCESS",
        "-6, 4711, PROCESS",
        "0, 0, OTHER_NAMESPACE",
        "0, -1, UNKNOWN",
        "128, 0, KERNEL",
        "1, 4711, KERNEL",
        "-1, 4711, CLAIMED",
        "-2, 0, CLAIMED",
        "-60, 1, CLAIMED"
    })
    void theCodeAndThePidTellHowFarASenderCanBeBelieved(int code, int pid, Sender sender) {
        assertEquals(sender, new SignalInfo(Signal.SIGUSR1, code, pid, 0, 0, 0, 0).sender());
    }

    @Test
    void ofASignalAloneNothingIsKnown() {
        SignalInfo info = SignalInfo.of(Signal.SIGTERM);
        assertEquals(Signal.SIGTERM, info.signal());
        assertEquals(Sender.UNKNOWN, info.sender());
        assertEquals(-1, info.pid());
    }
}
