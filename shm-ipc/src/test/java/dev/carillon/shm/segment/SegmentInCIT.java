package dev.carillon.shm.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.CProgram;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What carillon_shm.h says, which computes on its own, against what this package says. */
class SegmentInCIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** C numbers them from 1; there 0 is none. */
    private static final List<SegmentFault> FAULTS = Arrays.asList(SegmentFault.values());

    @TempDir
    private Path folder;

    private Path program = Path.of("never");

    @BeforeEach
    void compile() throws IOException {
        Files.writeString(folder.resolve("carillon_shm.h"), resource("carillon_shm.h"));
        program = CProgram.compile(folder, "segment", resource("segment.c"));
    }

    private static String resource(String name) throws IOException {
        try (InputStream source = Objects.requireNonNull(SegmentInCIT.class.getResourceAsStream(name), name)) {
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private List<String> run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ChildExit exit = ChildCommand.of(command.toArray(String[]::new))
                .workingDirectory(folder)
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit.stdout();
    }

    // r[verify shm.header] r[verify shm.regions]
    @Test
    void aHeaderThatCWritesHasTheSameBytes(@Seeded SplittableRandom random) throws IOException {
        for (SegmentHeader header : samples(random)) {
            Files.writeString(folder.resolve("numbers"), numbers(header));
            run("write", "numbers", "header");
            assertArrayEquals(
                    HeaderWriter.bytes(header), Files.readAllBytes(folder.resolve("header")), header::toString);
        }
    }

    // r[verify shm.header] r[verify shm.regions]
    @Test
    void cFindsEverythingWhereJavaPutsIt(@Seeded SplittableRandom random) throws IOException {
        for (SegmentHeader header : samples(random)) {
            Files.write(folder.resolve("header"), HeaderWriter.bytes(header));
            List<String> places = new ArrayList<>(List.of("fault 0"));
            addPlaces(places, "toGuest", header.layout().toGuest());
            addPlaces(places, "toHost", header.layout().toHost());
            places.add("total " + header.layout().total());
            assertEquals(places, run("print", "header"));
        }
    }

    // r[verify shm.header] r[verify shm.link-word]
    @Test
    void cHasTheSameConstants() {
        CRC32C crc = new CRC32C();
        crc.update("123456789".getBytes(StandardCharsets.US_ASCII));
        List<String> expected = new ArrayList<>(List.of(
                "linkWord " + SegmentLayout.LINK_WORD,
                "hostLine " + SegmentLayout.HOST_LINE,
                "guestLine " + SegmentLayout.GUEST_LINE,
                "side " + SideLine.STATE + " " + SideLine.BEATS,
                "states " + SideLine.ABSENT + " " + SideLine.PRESENT + " " + SideLine.LEAVING + " " + SideLine.GONE,
                "crc " + Long.toHexString(crc.getValue())));
        for (LinkState state : LinkState.values()) {
            long word = LinkWord.of(state, state == LinkState.RESERVED ? 0 : 4_711, 0xabcdef);
            expected.add(String.format(Locale.ROOT, "%016x", word));
        }
        assertEquals(expected, run("constants"));
    }

    /** The same reason for each header, so that all guests say the same. */
    // r[verify shm.header]
    @Test
    void cRefusesTheSameHeadersForTheSameReasons(@Seeded SplittableRandom random) throws IOException {
        List<byte[]> headers = HeaderMutations.atLimits();
        for (int i = 0; i < 5_000; i++) {
            headers.add(HeaderMutations.next(random));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        headers.forEach(all::writeBytes);
        Files.write(folder.resolve("headers"), all.toByteArray());
        List<String> found = run("judge", "headers");
        assertEquals(headers.size(), found.size());
        for (int i = 0; i < found.size(); i++) {
            byte[] header = headers.get(i);
            int fault = FAULTS.indexOf(Segments.faultOf(header)) + 1;
            assertEquals(
                    Integer.toString(fault), found.get(i), () -> HexFormat.of().formatHex(header));
        }
    }

    // r[verify shm.link-word]
    @Test
    void cReadsLinkWordsAsJavaDoes(@Seeded SplittableRandom random) throws IOException {
        StringBuilder words = new StringBuilder();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long word = random.nextLong() & (random.nextBoolean() ? 0x7fff_ffff_ffff_ff07L : 0x0000_0003_0000_0307L);
            words.append(Long.toUnsignedString(word)).append('\n');
            expected.add(String.format(
                    Locale.ROOT,
                    "%d %d %d %d",
                    word & 0xff,
                    word >>> 32,
                    word >>> 8 & 0xffffff,
                    LinkWord.isValid(word) ? 1 : 0));
        }
        Files.writeString(folder.resolve("words"), words);
        assertEquals(expected, run("words", "words"));
    }

    private static List<SegmentHeader> samples(SplittableRandom random) {
        List<SegmentHeader> headers =
                new ArrayList<>(List.of(Segments.header(SegmentShape.defaults()), Segments.header(Segments.SMALL)));
        for (int i = 0; i < 20; i++) {
            headers.add(Segments.header(random));
        }
        return headers;
    }

    private static String numbers(SegmentHeader header) {
        SegmentIdentity identity = header.identity();
        SegmentShape shape = header.layout().shape();
        List<String> numbers = new ArrayList<>(List.of(
                Long.toUnsignedString(identity.linkIdHigh()),
                Long.toUnsignedString(identity.linkIdLow()),
                Integer.toString(identity.hostPid()),
                Integer.toString(identity.peerId()),
                Long.toString(identity.hostStartTime()),
                Integer.toString(shape.channels()),
                Integer.toString(header.heartbeatMillis())));
        for (DirectionShape direction : List.of(shape.toGuest(), shape.toHost())) {
            numbers.add(Integer.toString(direction.ringEntries()));
            numbers.add(Integer.toString(direction.entryBytes()));
            numbers.add(Long.toString(direction.window()));
            numbers.add(Integer.toString(direction.slotClasses().size()));
            for (SlotClass slots : direction.slotClasses()) {
                numbers.add(Integer.toString(slots.bytes()));
                numbers.add(Integer.toString(slots.count()));
            }
        }
        return String.join("\n", numbers);
    }

    private static void addPlaces(List<String> places, String name, DirectionLayout at) {
        places.add(name + ".head " + at.head());
        places.add(name + ".tail " + at.tail());
        places.add(name + ".dataEvent " + at.dataEvent());
        places.add(name + ".spaceEvent " + at.spaceEvent());
        places.add(name + ".slotEvent " + at.slotEvent());
        places.add(name + ".granted " + at.granted(at.channels() - 1));
        places.add(name + ".creditEvent " + at.creditEvent(at.channels() - 1));
        places.add(name + ".entry " + at.entry(at.ringEntries() - 1));
        for (int slot = 0; slot < at.slots(); slot++) {
            places.add(name + ".slot." + slot + " " + at.slotWord(slot) + " " + at.slotOffset(slot) + " "
                    + at.slotBytes(slot));
        }
    }
}
