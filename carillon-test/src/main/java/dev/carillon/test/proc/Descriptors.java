package dev.carillon.test.proc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The open descriptors of this process. */
public final class Descriptors {
    private static final String FOLDER = "/proc/self/fd";

    /** Some are closed in the background. */
    private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Descriptors() {}

    /** Every descriptor with what it points to, {@code socket:[1234]} or a path for example. */
    public static Map<Integer, String> open() {
        Map<Integer, String> targets = new TreeMap<>();
        for (int number : ProcFile.numbersIn(FOLDER)) {
            target(number).ifPresent(target -> targets.put(number, target));
        }
        return targets;
    }

    /**
     * How many descriptors there are, without those of the VM.
     *
     * <p>Its compiler threads and its garbage collector read files of the control group at any time, and class loaders
     * open jars, so that a plain count of the folder is off by one now and then.
     */
    public static int count() {
        return ofProgram().size();
    }

    /** Those of {@link #open()} that {@link #count()} counts. */
    public static Map<Integer, String> ofProgram() {
        Map<Integer, String> targets = open();
        targets.values().removeIf(VmFiles::contains);
        return targets;
    }

    /** Those of the program that were not open, or were something else, when {@code before} was taken. */
    public static Map<Integer, String> openedSince(Map<Integer, String> before) {
        Map<Integer, String> opened = ofProgram();
        opened.entrySet().removeAll(before.entrySet());
        return opened;
    }

    /** For a child of a test: waits for the count to come down to what it was before, and prints {@code 0 left}. */
    public static void printLeft(int before) {
        long end = System.nanoTime() + CLOSING_NANOS;
        int left = count() - before;
        while (left > 0 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
            left = count() - before;
        }
        if (left > 0) {
            System.err.println(open());
        }
        System.out.println(left + " left");
    }

    /**
     * Nothing when it was closed meanwhile, as the descriptor is that listed the folder. The number may belong to
     * another file by now, so only the answer itself tells.
     */
    private static Optional<String> target(int number) {
        Path link = Path.of(FOLDER, Integer.toString(number));
        try {
            return Optional.of(Files.readSymbolicLink(link).toString());
        } catch (NoSuchFileException closedMeanwhile) {
            return Optional.empty();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read " + link, failure);
        }
    }
}
