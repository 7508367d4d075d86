package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ProcessSnapshot.Leftover;
import dev.carillon.test.SignalChanges.TaskMask;
import dev.carillon.test.proc.SignalState;
import dev.carillon.test.proc.TaskStat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignalChangesTest {
    private static final TaskStat LOOP = new TaskStat(42, "loop", 'S', 1);
    private static final long INT_AND_USR1 = 0x202;
    private static final long INT_AND_USR2 = 0x802;
    private static final long HANDLER_OF_THE_C_LIBRARY = 1L << 32;

    @Test
    void aMaskTellsWhatIsBlockedNowAndWhatNoLongerIs() {
        assertEquals(
                List.of(new Leftover(
                        LeakKind.MASK,
                        "mask of task 42 \"loop\": SIGUSR1 (10) is not blocked any more, SIGUSR2 (12) is blocked now")),
                SignalChanges.ofMasks(mask("42@1", INT_AND_USR1), mask("42@1", INT_AND_USR2)));
    }

    @Test
    void aMaskOfANewTaskIsItsOwnAffair() {
        assertEquals(List.of(), SignalChanges.ofMasks(mask("42@1", 0), mask("42@2", INT_AND_USR2)));
        assertEquals(List.of(), SignalChanges.ofMasks(mask("42@1", INT_AND_USR2), mask("42@1", INT_AND_USR2)));
    }

    @Test
    void aDispositionIsToldUnlessItIsOfTheCLibrary() {
        SignalState before = new SignalState(0, INT_AND_USR1, 0);
        SignalState now = new SignalState(0, 2, HANDLER_OF_THE_C_LIBRARY | 0x200);
        assertEquals(
                List.of(new Leftover(LeakKind.DISPOSITION, "disposition of SIGUSR1 (10): ignored before, caught now")),
                SignalChanges.ofDispositions(before, now));
    }

    private static Map<String, TaskMask> mask(String identity, long blocked) {
        return Map.of(identity, new TaskMask(LOOP, blocked));
    }
}
