package dev.carillon.sys.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Programs;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine code in a C program, where a single instruction and a single fault can be watched. */
class FaultMachineIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @BeforeEach
    void compile() throws Exception {
        Programs.need("gcc");
        Assumptions.assumeTrue(System.getProperty("os.arch").equals("amd64"), "this machine code is for x86-64");
        try (InputStream source = Objects.requireNonNull(getClass().getResourceAsStream("fault.c"))) {
            Files.copy(source, folder.resolve("fault.c"));
        }
        Files.write(folder.resolve("bytes"), FaultCode.LISTING.bytes());
        List<String> command = new ArrayList<>(List.of("gcc", "-Wall", "-O2", "-pthread", "-o", "fault"));
        for (Field field : FaultLayout.class.getDeclaredFields()) {
            // Names that would clash with those of the headers have this before them.
            command.add("-DAT_" + field.getName() + "=" + field.getInt(null));
        }
        command.add("fault.c");
        ChildExit exit = run(command.toArray(String[]::new));
        assertEquals(0, exit.code(), exit::toString);
    }

    private ChildExit run(String... command) {
        return ChildCommand.of(command).workingDirectory(folder).run(LIMIT);
    }

    // r[verify memory.atomic-loss]
    @ParameterizedTest
    @ValueSource(
            strings = {
                "atomic instructions",
                "loads and stores",
                "outside of the ranges",
                "edges",
                "last entry",
                "no page to be had",
                "sent by somebody",
                "second copy",
                "many threads",
                "registers"
            })
    void theHandlerDoesWhatItsListingSays(String scenario) {
        ChildExit exit = run("./fault", "bytes", scenario);
        assertEquals(0, exit.code(), exit::toString);
    }
}
