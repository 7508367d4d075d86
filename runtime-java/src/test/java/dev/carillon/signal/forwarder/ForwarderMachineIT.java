package dev.carillon.signal.forwarder;

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
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine code in a C program, where a single signal and a single child can be watched. */
class ForwarderMachineIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Names that would clash with what the program calls otherwise. */
    private static final Map<String, String> OTHER_NAMES = Map.of("CARRIER", "CARRIER_AT", "COOKIE", "COOKIE_AT");

    @TempDir
    private Path folder;

    @BeforeEach
    void compile() throws Exception {
        Programs.need("gcc");
        Assumptions.assumeTrue(System.getProperty("os.arch").equals("amd64"), "this machine code is for x86-64");
        try (InputStream source = Objects.requireNonNull(getClass().getResourceAsStream("forwarder.c"))) {
            Files.copy(source, folder.resolve("forwarder.c"));
        }
        Files.write(folder.resolve("bytes"), ForwarderCode.LISTING.bytes());
        List<String> command = new ArrayList<>(List.of("gcc", "-Wall", "-O2", "-pthread", "-o", "forwarder"));
        for (Field field : ForwarderLayout.class.getDeclaredFields()) {
            String name = OTHER_NAMES.getOrDefault(field.getName(), field.getName());
            command.add("-D" + name + "=" + field.getInt(null));
        }
        command.add("-DENTRY=" + ForwarderCode.LISTING.offsetOf("entry"));
        command.add("forwarder.c");
        ChildExit exit = run(command.toArray(String[]::new));
        assertEquals(0, exit.code(), exit::toString);
    }

    private ChildExit run(String... command) {
        return ChildCommand.of(command).workingDirectory(folder).run(LIMIT);
    }

    // r[verify signal.siginfo] r[verify signal.vm-tools] r[verify signal.fork] r[verify signal.exit-untouched]
    // r[verify signal.carrier] r[verify signal.overflow]
    @ParameterizedTest
    @ValueSource(
            strings = {
                "forwarded",
                "beyond the pipe",
                "strays",
                "held back",
                "vm's suspension",
                "passed on",
                "child",
                "window of vfork",
                "refused"
            })
    void theHandlerDoesWhatItsListingSays(String scenario) {
        ChildExit exit = run("./forwarder", "bytes", scenario, "direct");
        assertEquals(0, exit.code(), exit::toString);
    }

    // r[verify signal.exit-untouched]
    @Test
    void withoutALoopTheHandlerBeforeIsCalledAndTheDefaultEnds() {
        ChildExit exit = run("./forwarder", "bytes", "no loop", "direct");
        assertEquals(128 + 1, exit.code(), exit::toString);
    }

    // r[verify signal.fork]
    @ParameterizedTest
    @ValueSource(strings = {"in a namespace of its own", "just so, by vfork"})
    void aChildWithOurOwnNumberIsStillAChild(String scenario) {
        ChildExit exit = run("./forwarder", "bytes", scenario, "direct");
        Assumptions.assumeTrue(exit.code() != 78, "this user may not make a pid namespace");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Registers, frame and siginfo of the caller are as before, on each way through the code. */
    // r[verify signal.chained]
    @ParameterizedTest
    @CsvSource({
        "forwarded,0",
        "beyond the pipe,0",
        "strays,0",
        "held back,0",
        "vm's suspension,0",
        "passed on,0",
        "child,0",
        "window of vfork,0",
        "refused,0",
        "no loop,129"
    })
    void aHandlerOfSomebodyElseMayCallOurs(String scenario, int code) {
        ChildExit exit = run("./forwarder", "bytes", scenario, "chained");
        assertEquals(code, exit.code(), exit::toString);
    }
}
