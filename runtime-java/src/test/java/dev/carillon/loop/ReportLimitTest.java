package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Which errors are told when very many come. */
final class ReportLimitTest {
    private final ReportLimit limit = new ReportLimit();

    // r[verify loop.report-limit]
    @Test
    void aFloodOfOneKindIsCountedAndTheNextSpanTellsHowMany() {
        int told = 0;
        for (int i = 0; i < 10_000; i++) {
            told += limit.admit(one(), i) == ReportLimit.REFUSED ? 0 : 1;
        }
        assertEquals(ReportLimit.OF_A_KIND, told);
        assertEquals(10_000 - ReportLimit.OF_A_KIND, limit.admit(one(), ReportLimit.SPAN_NANOS));
        assertEquals(0, limit.admit(one(), ReportLimit.SPAN_NANOS));
        assertEquals(0, limit.forget());
    }

    // r[verify loop.report-limit]
    @Test
    void aFloodOfOneKindLeavesAnotherKindAlone() {
        for (int i = 0; i < 10_000; i++) {
            limit.admit(one(), 0);
        }
        assertEquals(0, limit.admit(other(), 0));
        assertEquals(10_000 - ReportLimit.OF_A_KIND, limit.forget());
    }

    // r[verify loop.report-limit]
    @Test
    void kindsWithoutEndAreLimitedTogether() {
        int told = 0;
        for (int i = 0; i < 10_000; i++) {
            Throwable error = one();
            error.setStackTrace(new StackTraceElement[] {new StackTraceElement("A", "b", "C.java", i)});
            told += limit.admit(error, 0) == ReportLimit.REFUSED ? 0 : 1;
        }
        assertEquals(ReportLimit.OF_ALL, told);
        assertEquals(10_000 - ReportLimit.OF_ALL, limit.forget());
    }

    private static Throwable one() {
        return new IllegalStateException("one");
    }

    private static Throwable other() {
        return new IllegalStateException("other");
    }
}
