package dev.carillon.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Where a run took place.
 *
 * @param kernel its release
 * @param cpu the processor's name
 * @param cores how many of them may be used
 * @param jdk the main JDK
 * @param secondJdk the second one, or "none"
 */
public record Machine(String kernel, String cpu, int cores, String jdk, String secondJdk) {
    /** Reads what this machine says about itself. */
    public static Machine here(String jdk, String secondJdk) throws IOException {
        return new Machine(
                System.getProperty("os.version"),
                cpuName(),
                Runtime.getRuntime().availableProcessors(),
                jdk,
                secondJdk);
    }

    /** Returns all of it on one line. */
    public String line() {
        return "Linux " + kernel + ", " + cores + " x " + cpu + ", JDK " + jdk + " and " + secondJdk;
    }

    private static String cpuName() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(() -> System.getProperty("os.arch"));
        }
    }
}
