package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the variables of a service manager mean. */
// r[verify io.activation]
final class SocketActivationTest {
    private static final long PID = 4711;

    private static Map<String, String> variables(String pid, String count) {
        return Map.of("LISTEN_PID", pid, "LISTEN_FDS", count);
    }

    @Test
    void aProcessThatNobodyHasActivatedHasNoSockets() {
        assertEquals(List.of(), SocketActivation.of(Map.of(), PID));
        assertEquals(List.of(), SocketActivation.of(Map.of("LISTEN_FDS", "1"), PID));
        assertEquals(List.of(), SocketActivation.of(variables("4711", "0"), PID));
    }

    /** As in a child of the process that was meant, or behind a shell. */
    @Test
    void theVariablesOfAnotherProcessMeanNothing() {
        assertEquals(List.of(), SocketActivation.of(variables("4710", "7"), PID));
        assertEquals(List.of(), SocketActivation.of(variables("99999999999", "no number"), PID));
    }

    @ParameterizedTest
    @CsvSource({
        "x, 1, LISTEN_PID=x is no number",
        "-1, 1, LISTEN_PID=-1",
        "4711, x, LISTEN_FDS=x is no number",
        "4711, -1, LISTEN_FDS=-1",
        "4711, 65537, LISTEN_FDS=65537",
        "4711, 99999999999999999999, is no number",
        "4711, 60000, fd=",
    })
    void variablesThatMakeNoSenseAreRefused(String pid, String count, String why) {
        assertRefused(variables(pid, count), why);
    }

    @Test
    void asManyNamesAreExpectedAsSockets() {
        assertRefused(
                Map.of("LISTEN_PID", "4711", "LISTEN_FDS", "2", "LISTEN_FDNAMES", "one"), "LISTEN_FDNAMES has 1 names");
        assertRefused(Map.of("LISTEN_PID", "4711", "LISTEN_FDS", "1", "LISTEN_FDNAMES", "one:two"), "LISTEN_FDS is 1");
    }

    // r[verify io.activation]
    @Test
    void aSocketIsTakenOverOnceSinceItsNumberIsAnybodysAfterwards() {
        assertThrows(
                ClosedException.class,
                () -> SocketActivation.once(4_711, () -> {
                    throw new ClosedException("planted");
                }));
        assertEquals("taken", SocketActivation.once(4_711, () -> "taken"));
        assertTrue(assertThrows(IllegalStateException.class, () -> SocketActivation.once(4_711, () -> "again"))
                .toString()
                .contains("was taken over before"));
    }

    private static void assertRefused(Map<String, String> environment, String why) {
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> SocketActivation.of(environment, PID));
        assertTrue(refused.toString().contains(why), refused::toString);
    }
}
