package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.test.Seeded;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// r[verify admin.hostile]
final class FlatJsonTest {
    @Test
    void anObjectOfStringsIsRead() throws Exception {
        assertEquals(Map.of(), FlatJson.read(" { } "));
        assertEquals(
                Map.of("a", "x\"\\/\b\f\n\r\tä\u00e4\ud83d\ude00", "", ""),
                FlatJson.read("{\"a\" : \"x\\\"\\\\\\/\\b\\f\\n\\r\\tä\\u00E4\\ud83d\\ude00\",\n\"\":\"\"}\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"",
                "{\"a",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":\"",
                "{\"a\":\"b",
                "{\"a\":\"b\"",
                "{\"a\":\"b\",}",
                "{,}",
                "{\"a\" \"b\"}",
                "{\"a\":\"b\"}{}",
                "{\"a\":{\"b\":\"c\"}}",
                "{\"a\":[]}",
                "{\"a\":1}",
                "{\"a\":true}",
                "{\"a\":null}",
                "{a:\"b\"}",
                "{'a':'b'}",
                "{\"a\":\"b\",\"a\":\"b\"}",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\u0000\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u\u0661\u0661\u0661\u0661\"}",
                "{\"a\":\"\\ud83d\"}",
                "{\"a\":\"\\ude00\\ud83d\"}",
                "{\"a\":\"b\"\u00a0}",
                "\ufeff{\"a\":\"b\"}",
                "\"a\"",
                "null",
            })
    void anythingElseIsRefused(String text) {
        assertThrows(MalformedBody.class, () -> FlatJson.read(text));
    }

    @Test
    void depthCostsNothing() {
        assertThrows(MalformedBody.class, () -> FlatJson.read("{\"a\":".repeat(100_000)));
        assertThrows(MalformedBody.class, () -> FlatJson.read("[".repeat(100_000)));
    }

    @Test
    void whatIsWrittenIsReadBack(@Seeded SplittableRandom random) throws Exception {
        for (int round = 0; round < 2000; round++) {
            Map<String, String> members = new LinkedHashMap<>();
            for (int member = random.nextInt(4); member > 0; member--) {
                members.put(anyText(random), anyText(random));
            }
            assertEquals(members, FlatJson.read(FlatJson.write(members)));
        }
    }

    @Test
    void anyTextIsReadOrRefused(@Seeded SplittableRandom random) {
        String letters = "{}[]\":,\\ abu019\n\t\u0000\ud83d\ude00é";
        for (int round = 0; round < 100_000; round++) {
            StringBuilder text = new StringBuilder("{\"a\":\"b\"}");
            for (int change = 1 + random.nextInt(6); change > 0; change--) {
                text.insert(random.nextInt(text.length() + 1), letters.charAt(random.nextInt(letters.length())));
            }
            try {
                Map<String, String> members = FlatJson.read(text.toString());
                assertEquals(members, FlatJson.read(FlatJson.write(members)), text::toString);
            } catch (MalformedBody refused) {
                // As most of these should be.
            }
        }
    }

    private static String anyText(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int letter = random.nextInt(8); letter > 0; letter--) {
            int point = random.nextInt(random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1);
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                text.appendCodePoint(point);
            }
        }
        return text.toString();
    }
}
