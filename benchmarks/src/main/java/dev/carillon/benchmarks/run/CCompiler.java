package dev.carillon.benchmarks.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Compiles the yardsticks, each once for its content. */
final class CCompiler {
    private static final List<String> OPTIONS = List.of("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String compiler;
    private final Path sources;
    private final Path programs;

    CCompiler(String compiler, Path sources, Path programs) {
        this.compiler = compiler;
        this.sources = sources;
        this.programs = programs;
    }

    /** Returns the program for a source file. */
    Path compile(String source) throws Skipped, RunFailure {
        try {
            String stem = source.replaceFirst("\\.c$", "");
            Path program = programs.resolve(stem + "-" + contentHash(source));
            if (!Files.isExecutable(program)) {
                Files.createDirectories(programs);
                compile(sources.resolve(source), program);
            }
            return program;
        } catch (IOException e) {
            throw new RunFailure("yardstick " + source + " could not be compiled in " + programs, e);
        }
    }

    private void compile(Path source, Path program) throws IOException, Skipped, RunFailure {
        Path unfinished = Files.createTempFile(program.getParent(), "cc", ".out");
        try {
            List<String> command = command(OPTIONS, List.of("-o", unfinished.toString(), source.toString()));
            Process process;
            try {
                process = new ProcessBuilder(command).redirectErrorStream(true).start();
            } catch (IOException e) {
                throw new Skipped("no yardstick: there is no " + compiler + " here (" + e.getMessage() + ")");
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
                throw new RunFailure(compiler + " did not end within " + PATIENCE.toSeconds() + " s: " + command);
            }
            if (process.exitValue() != 0) {
                throw new RunFailure(compiler + " failed: " + String.join(" ", command) + "\n" + output);
            }
            // Two runs may compile at once: each moves a finished program into place.
            Files.move(unfinished, program, StandardCopyOption.ATOMIC_MOVE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure("interrupted while compiling " + source, e);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private List<String> command(List<String> options, List<String> files) {
        return Stream.of(List.of(compiler), options, files)
                .flatMap(List::stream)
                .toList();
    }

    /** The name of a program tells what it was made of: the source, all headers, the command. */
    private String contentHash(String source) throws IOException {
        try (Stream<Path> files = Files.list(sources)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(String.join(" ", command(OPTIONS, List.of())).getBytes(StandardCharsets.UTF_8));
            for (Path header :
                    files.filter(f -> f.toString().endsWith(".h")).sorted().toList()) {
                digest.update(Files.readAllBytes(header));
            }
            digest.update(Files.readAllBytes(sources.resolve(source)));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
