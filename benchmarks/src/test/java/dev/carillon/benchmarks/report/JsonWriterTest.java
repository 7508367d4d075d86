package dev.carillon.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
    @Test
    void aRowHasTheSevenFieldsAndNoOthers() {
        assertTrue(lines(Results.costs())
                .contains("{\"bench\": \"a bench\", \"case\": \"a case\", \"variant\": \"ours-ffm\","
                        + " \"unit\": \"ns/op\", \"median\": 120, \"p99\": 130.5, \"rounds\": 21}"));
    }

    @Test
    void eachGoalOfACaseSaysWhetherItWasMet() {
        assertTrue(lines(Results.costs())
                .contains("{\"bench\": \"a bench\", \"case\": \"a case\", \"goal\": \"ours-ffm <= 1.25 x c\","
                        + " \"ratio\": 1.2, \"met\": true}"));
        assertTrue(lines(Results.costs())
                .contains("{\"bench\": \"a bench\", \"case\": \"a case\","
                        + " \"goal\": \"ours-ffm <= 0.50 x best peer\", \"ratio\": 0.8, \"met\": false}"));
    }

    @Test
    void whatIsUnknownIsNull() {
        assertTrue(lines(Results.alone())
                .contains("{\"bench\": \"a bench\", \"case\": \"a case\", \"goal\": \"ours-ffm <= 1.25 x c\","
                        + " \"ratio\": null, \"met\": null}"));
    }

    @Test
    void numbersHaveNoMoreDigitsThanTheyNeed() {
        assertEquals("0", JsonWriter.number(0));
        assertEquals("100", JsonWriter.number(100));
        assertEquals("0.0001", JsonWriter.number(0.0001));
        assertEquals("12345678.25", JsonWriter.number(12345678.25));
        assertEquals("null", JsonWriter.number(Double.NaN));
        assertEquals("null", JsonWriter.number(Double.POSITIVE_INFINITY));
    }

    @Test
    void stringsAreQuoted() {
        assertEquals("\"a \\\"b\\\" \\\\ \\u000a\"", JsonWriter.quote("a \"b\" \\ \n"));
    }

    private static List<String> lines(CaseResult result) {
        return JsonWriter.write(Results.report(result))
                .lines()
                .map(line -> line.strip().replaceFirst(",$", ""))
                .toList();
    }
}
