package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page that lists every byte, held against the code and against itself. */
class LayoutPageTest {
    private static final Path PAGE = Path.of(System.getProperty("carillon.root", ".."), "docs/spec/shm-layout.md");
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| ([^|]+) \\|.*");
    private static final Pattern BYTES = Pattern.compile("(?:(\\d+) x )?(\\d+)(?: bytes)?");

    /** A field of a table whose rows begin with offset and type. */
    private record Row(int offset, int bytes) {
        int end() {
            return offset + bytes;
        }
    }

    @Test
    void noByteIsLeftOutAndNoneIsListedTwice() throws IOException {
        List<Integer> sizes = new ArrayList<>();
        for (List<Row> table : tables()) {
            int end = 0;
            for (Row row : table) {
                assertEquals(end, row.offset(), table::toString);
                end = row.end();
            }
            sizes.add(end);
        }
        // Overview, header, direction in it, line of a side, control lines, line of credit, entry's header, slot word.
        assertEquals(List.of(768, 512, 192, 64, 512, 64, 32, 64), sizes);
    }

    @Test
    void theFieldsOfTheHeaderAreWhereTheCodeHasThem() throws ReflectiveOperationException, IOException {
        List<List<Row>> tables = tables();
        Set<Integer> header = offsets(tables.get(1));
        Set<Integer> direction = offsets(tables.get(2));
        Set<String> ofDirection = Set.of(
                "RING_ENTRIES",
                "ENTRY_BYTES",
                "WINDOW",
                "SLOT_CLASSES",
                "SLOTS",
                "CONTROL_AT",
                "CREDITS_AT",
                "ENTRIES_AT",
                "SLOT_WORDS_AT",
                "SLOT_AREA_AT",
                "CLASS_TABLE");
        Set<String> noOffset = Set.of("CLASS_STRIDE", "ENDIANNESS_MARK", "OUR_WORD_SIZE");
        int compared = 0;
        for (Field field : HeaderFields.class.getDeclaredFields()) {
            if (field.getType() == int.class && !noOffset.contains(field.getName())) {
                field.setAccessible(true);
                Set<Integer> rows = ofDirection.contains(field.getName()) ? direction : header;
                assertTrue(rows.contains(field.getInt(null)), field.getName());
                compared++;
            }
        }
        // And two rows for what is 0.
        assertEquals(header.size() + direction.size() - 2, compared);
    }

    @Test
    void theExampleIsTheDescriptionOfTheDefaults() throws IOException {
        assertTrue(Files.readString(PAGE)
                .contains("```\n" + SegmentLayout.of(SegmentShape.defaults()).describe() + "```\n"));
    }

    @Test
    void everyReasonOfARefusalIsListed() throws IOException {
        Set<String> listed = Files.readAllLines(PAGE).stream()
                .filter(line -> line.matches("\\| [A-Z_]+ \\| [^|]+ \\|"))
                .map(line -> line.substring(2, line.indexOf(' ', 2)))
                .collect(Collectors.toSet());
        Set<String> reasons = Stream.of(SegmentFault.values())
                .filter(fault -> fault != SegmentFault.LINK_WORD)
                .map(SegmentFault::name)
                .collect(Collectors.toSet());
        assertEquals(reasons, listed);
    }

    private static Set<Integer> offsets(List<Row> table) {
        return table.stream().map(Row::offset).collect(Collectors.toSet());
    }

    /** The rows with a size, table by table; tables without such rows are left out. */
    private static List<List<Row>> tables() throws IOException {
        List<List<Row>> tables = new ArrayList<>();
        List<Row> table = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                table.add(new Row(Integer.parseInt(row.group(1)), bytes(row.group(2))));
            } else if (!line.startsWith("|") && !table.isEmpty()) {
                tables.add(table);
                table = new ArrayList<>();
            }
        }
        return tables;
    }

    private static int bytes(String type) {
        return switch (type) {
            case "u16" -> Short.BYTES;
            case "u32" -> Integer.BYTES;
            case "u64", "event count" -> Long.BYTES;
            default -> {
                Matcher bytes = BYTES.matcher(type);
                assertTrue(bytes.matches(), () -> "no type: " + type);
                int count = bytes.group(1) == null ? 1 : Integer.parseInt(bytes.group(1));
                yield count * Integer.parseInt(bytes.group(2));
            }
        };
    }
}
