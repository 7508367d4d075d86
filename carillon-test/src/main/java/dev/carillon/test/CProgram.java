package dev.carillon.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A program in C for the other side of a test: what is agreed between processes must hold without our own code there.
 *
 * <p><b>Threading</b> Any thread.
 */
public final class CProgram {
    private static final Path COMPILER = Path.of("/usr/bin/gcc");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private CProgram() {}

    /**
     * Compiles one file, with threads; skips the test where there is no compiler.
     *
     * @param folder where source and program go
     * @param name of the program
     * @param flags for the compiler beside {@code -O2 -Wall -pthread}
     * @return the program
     * @throws AssertionError if it does not compile
     */
    public static Path compile(Path folder, String name, String source, String... flags) throws IOException {
        Programs.need("gcc", Files.isExecutable(COMPILER));
        Path file = Files.writeString(folder.resolve(name + ".c"), "#define _GNU_SOURCE\n" + source);
        Path program = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of(COMPILER.toString(), "-O2", "-Wall", "-pthread"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-o", program.toString(), file.toString()));
        try (ChildProcess gcc = ChildCommand.of(command.toArray(String[]::new)).start()) {
            ChildExit exit = gcc.awaitExit(LIMIT);
            if (exit.code() != 0) {
                throw new AssertionError("it does not compile: " + exit);
            }
        }
        return program;
    }
}
