package dev.carillon.sys.call;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Seeded;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// r[verify sys.start-time]
/** The text of /proc/PID/stat, of processes with bad names. */
final class ProcessStatTest {
    /** Fields 3 to 52; the 22nd is 4711. */
    private static final String REST = " S 1 2 3 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 4711 8000000 200"
            + " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

    private static long startTime(String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        return ProcessStat.startTime(ByteBuffer.wrap(bytes), bytes.length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bash",
                "",
                "a b",
                ") S 1 2 3",
                "x) S 9 9 9 9 9",
                "((",
                "))",
                ")",
                "a\nb) S",
                " 1 2 ",
                "\u00ff\u0001",
                "kworker/u16:0-events_unbound)"
            })
    void theTimeIsFoundBehindWhateverNameAProcessGivesItself(String name) {
        assertEquals(4_711, startTime("123 (" + name + ")" + REST));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "123",
                "123 (sh",
                "123 (sh)",
                "123 (sh) S 1 2",
                "123 (sh) S 1 2 3 0 -1 4 100 0 0 0 1 2 3 4 20 0 1 0 ",
                "123 (sh) S 1 2 3 0 -1 4 100 0 0 0 1 2 3 4 20 0 1 0 x",
                "123 (sh) S 1 2 3 0 -1 4 100 0 0 0 1 2 3 4 20 0 1 0 -5",
                "123 (sh) S 1 2 3 0 -1 4 100 0 0 0 1 2 3 4 20 0 1 0 99999999999999999999",
                "123 (sh)S 1 2 3 0 -1 4 100 0 0 0 1 2 3 4 20 0 1 0 4711"
            })
    void textThatIsNoneOfTheKernelGivesNoTime(String text) {
        assertEquals(ProcessStat.UNKNOWN, startTime(text));
        assertEquals(ProcessStat.UNKNOWN, ProcessStat.startTime(ByteBuffer.allocate(1), -3));
    }

    @Test
    void noBytesAtAllMakeItFail(@Seeded SplittableRandom random) {
        String text = "123 (a) b) " + REST.strip();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = text.substring(0, random.nextInt(text.length() + 1)).getBytes(ISO_8859_1);
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            assertTrue(ProcessStat.startTime(ByteBuffer.wrap(bytes), bytes.length) >= ProcessStat.UNKNOWN);
        }
    }
}
