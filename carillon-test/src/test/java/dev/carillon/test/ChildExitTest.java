package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a test is told of a child that did not do what it should. */
final class ChildExitTest {
    private final ChildExit exit = new ChildExit(143, List.of("ready", "arrived 10"), List.of("WARN"));

    @Test
    void aLineThatWasPrintedIsFound() {
        exit.assertPrinted("arrived 10");
    }

    @Test
    void aMissingLineIsNamedBeforeWhatTheChildPrinted() {
        AssertionError failure = assertThrows(AssertionError.class, () -> exit.assertPrinted("arrived 1"));
        assertEquals("Not printed on stdout: arrived 1\n" + exit, failure.getMessage());
    }

    @Test
    void theLinesAreTheseAndNoOthersInThisOrder() {
        exit.assertPrintedOnly("ready", "arrived 10");
        AssertionError failure = assertThrows(AssertionError.class, () -> exit.assertPrintedOnly("ready"));
        assertEquals("Not what was printed on stdout: [ready]\n" + exit, failure.getMessage());
        assertThrows(AssertionError.class, () -> exit.assertPrintedOnly("arrived 10", "ready"));
    }

    @Test
    void aLineOnStandardErrorWasNotPrinted() {
        assertThrows(AssertionError.class, () -> exit.assertPrinted("WARN"));
    }
}
