package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.code.CodeListing;
import dev.carillon.sys.code.Machine;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The C program that runs the machine code of a machine, one case at a time. */
final class ForwarderProgram {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    /** Names that would clash with what the program calls otherwise. */
    private static final Map<String, String> OTHER_NAMES = Map.of("CARRIER", "CARRIER_AT", "COOKIE", "COOKIE_AT");

    private final Path folder;
    private final Machine machine;

    private ForwarderProgram(Path folder, Machine machine) {
        this.folder = folder;
        this.machine = machine;
    }

    static CodeListing codeFor(Machine machine) {
        return machine == Machine.X86_64 ? ForwarderCode.LISTING : ForwarderCodeOnArm.LISTING;
    }

    /** Compiles it in a folder, with more options of the compiler. */
    static ForwarderProgram compile(Path folder, Machine machine, String... options)
            throws IOException, IllegalAccessException {
        List<String> command = new ArrayList<>(
                List.of(machine.tool("gcc"), "-Wall", "-Werror", "-O2", "-pthread", "-static", "-o", "forwarder"));
        CodeListing code = codeFor(machine);
        for (String name : List.of("forwarder.c", "probe.h")) {
            try (InputStream source = Objects.requireNonNull(ForwarderProgram.class.getResourceAsStream(name))) {
                Files.copy(source, folder.resolve(name));
            }
        }
        Files.write(folder.resolve("bytes"), code.bytes());
        for (Field field : ForwarderLayout.class.getDeclaredFields()) {
            String name = OTHER_NAMES.getOrDefault(field.getName(), field.getName());
            command.add("-D" + name + "=" + field.getInt(null));
        }
        command.add("-DENTRY=" + code.offsetOf("entry"));
        command.addAll(List.of(options));
        command.add("forwarder.c");
        ForwarderProgram program = new ForwarderProgram(folder, machine);
        ChildExit exit = program.run(command);
        assertEquals(0, exit.code(), exit::toString);
        return program;
    }

    /**
     * Runs a case.
     *
     * @param way direct, or chained
     */
    ChildExit run(String scenario, String way) {
        List<String> command = new ArrayList<>(machine.command("./forwarder"));
        command.addAll(List.of("bytes", scenario, way));
        return run(command);
    }

    private ChildExit run(List<String> command) {
        return ChildCommand.of(command.toArray(String[]::new))
                .workingDirectory(folder)
                .run(LIMIT);
    }
}
