package dev.carillon.benchmarks.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Keeps the calling thread on a core. */
public final class Affinity {
    private Affinity() {}

    /** Keeps the calling thread on one core. */
    public static void pin(int core) {
        set(Integer.toString(core));
    }

    /** Lets the calling thread run on every core. */
    public static void release() {
        set("0-" + (Runtime.getRuntime().availableProcessors() - 1));
    }

    private static void set(String cores) {
        try {
            String tid = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            Process process = new ProcessBuilder("taskset", "-pc", cores, tid).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("taskset -pc " + cores + " " + tid + " failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
