package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
    @Test
    void theExitCodeIsOneOnlyWhereThereIsAProblem() {
        assertEquals(0, new Report(List.of(Check.ok("a", "b"), Check.note("c", "d", "e"))).exitCode());
        assertEquals(1, new Report(List.of(Check.ok("a", "b"), Check.problem("c", "d", "e"))).exitCode());
    }

    @Test
    void adviceStandsBelowItsLine() {
        String text = new Report(List.of(Check.note("nofile", "1024", "raise it"))).toText();
        assertEquals("NOTE     nofile  1024\n                 -> raise it\n1 checks, 1 notes, 0 problems\n", text);
    }

    @Test
    void jsonEscapesWhatItMust() {
        String json = new Report(List.of(Check.ok("a", "say \"x\"\\\n"))).toJson();
        assertTrue(json.contains("\"found\": \"say \\\"x\\\"\\\\\\u000a\", \"advice\": null"), json);
    }
}
