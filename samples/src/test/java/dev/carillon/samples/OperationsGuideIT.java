package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/operations.md shows: its commands print what stands below them, and its files are those of the sample. */
class OperationsGuideIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path ROOT = Path.of(System.getProperty("carillon.root"));
    private static final Path BESIDE = ROOT.resolve("samples").resolve("graceful-service");
    private static final Pattern ADDRESSES = Pattern.compile("pid=(\\d+) port=(\\d+) admin=(http://\\S+)");
    private static final String PROMPT = "$ ";

    @TempDir
    Path folder;

    /** The blocks of the guide in that language. */
    private static List<List<String>> blocks(String language) throws IOException {
        List<List<String>> blocks = Stream.of(
                        Files.readString(ROOT.resolve("docs/operations.md")).split("```", -1))
                .filter(block -> block.startsWith(language + "\n"))
                .map(block -> block.lines().skip(1).toList())
                .toList();
        assertFalse(blocks.isEmpty(), "docs/operations.md has no block of " + language);
        return blocks;
    }

    private static String commands(List<String> block) {
        return block.stream()
                .filter(line -> line.startsWith(PROMPT))
                .map(line -> line.substring(PROMPT.length()) + "\n")
                .collect(Collectors.joining());
    }

    private ChildProcess service() throws IOException {
        Path settings = folder.resolve("service.json");
        Files.writeString(
                settings,
                Files.readString(BESIDE.resolve("service.json"))
                        .replace("8080", "0")
                        .replace("8081", "0"));
        return ChildJvm.of(GracefulServiceKt.class)
                .args(settings.toString())
                .environment("ADMIN_TOKEN", "0123456789abcdef")
                .start();
    }

    /** The first block has the words that the others use; each other one has a service of its own. */
    @Test
    void theCommandsOfTheGuidePrintWhatStandsBelowThem() throws Exception {
        Programs.need("curl");
        List<List<String>> blocks = blocks("console");
        for (List<String> block : blocks.subList(1, blocks.size())) {
            try (ChildProcess service = service()) {
                Matcher printed = ADDRESSES.matcher(service.awaitLine("pid=", PATIENCE));
                assertTrue(printed.matches(), printed::toString);
                ChildExit exit = ChildCommand.of("bash", "-c", commands(blocks.get(0)) + commands(block))
                        .environment("ADMIN_TOKEN", "0123456789abcdef")
                        .environment("PID", printed.group(1))
                        .environment("URL", "http://127.0.0.1:" + printed.group(2) + "/")
                        .environment("ADMIN", printed.group(3))
                        .run(PATIENCE);
                List<String> shown =
                        block.stream().filter(line -> !line.startsWith(PROMPT)).toList();
                assertEquals(shown, exit.stdout(), exit::toString);
            }
        }
    }

    @Test
    void theFilesThatItQuotesAreThoseOfTheSample() throws IOException {
        List<String> unit = Files.readAllLines(BESIDE.resolve("graceful-service.service"));
        List<String> service = unit.subList(unit.indexOf("[Service]"), unit.indexOf("[Install]")).stream()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        assertEquals(service, blocks("ini").get(0));
        List<String> image = Files.readAllLines(BESIDE.resolve("Dockerfile"));
        assertTrue(image.containsAll(blocks("dockerfile").get(0)), image::toString);
    }
}
