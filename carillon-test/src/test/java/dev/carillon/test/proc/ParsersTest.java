package dev.carillon.test.proc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ParsersTest {
    private static final List<String> STATUS = List.of(
            "Name:\tjava",
            "SigQ:\t0/96365",
            "SigBlk:\t8000000000000200",
            "SigIgn:\t0000000000000001",
            "SigCgt:\t0000000000004000");

    @Test
    void aStatusTellsMaskAndDispositions() {
        SignalState state = SignalState.parse(STATUS);
        assertTrue(SignalState.has(state.blocked(), 10));
        assertTrue(SignalState.has(state.blocked(), 64));
        assertFalse(SignalState.has(state.blocked(), 1));
        assertEquals("ignored", state.disposition(1));
        assertEquals("caught", state.disposition(15));
        assertEquals("default", state.disposition(2));
    }

    @Test
    void aStatusWithoutSignalsIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> SignalState.parse(List.of("Name:\tjava")));
    }

    @Test
    void aMappingTellsItsFileAndItsSize() {
        Mapping mapping =
                Mapping.parse("7f0000000000-7f0000003000 rw-s 00000000 00:01 1234      /memfd:my ring (deleted)");
        assertEquals(0x3000, mapping.bytes());
        assertEquals("/memfd:my ring (deleted)", mapping.path());
        assertEquals("00:01 1234", mapping.file());
        assertTrue(mapping.shared() && mapping.writable());
        assertFalse(mapping.executable());
    }

    @Test
    void anAnonymousMappingHasNoPath() {
        Mapping mapping = Mapping.parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 ");
        assertEquals("", mapping.path());
        assertEquals(0x1000, mapping.bytes());
        assertTrue(mapping.executable());
    }

    @Test
    void theNameInAStatMayHoldBlanksAndBrackets() {
        String numbers = " 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 98765 0";
        assertEquals(new TaskStat(42, "a) Z (b", 'S', 98765), TaskStat.parse("42 (a) Z (b) S" + numbers));
        assertThrows(IllegalArgumentException.class, () -> TaskStat.parse("42 name S"));
    }

    @Test
    void signalsAreNamedAsPeopleNameThem() {
        assertEquals("SIGHUP (1)", SignalNames.describe(1));
        assertEquals("SIGSYS (31)", SignalNames.describe(31));
        assertEquals("signal (32)", SignalNames.describe(32));
        assertEquals("SIGRTMIN (34)", SignalNames.describe(34));
        assertEquals("SIGRTMIN+30 (64)", SignalNames.describe(64));
    }
}
