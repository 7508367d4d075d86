package dev.carillon.samples.words;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a word on a sample's command line can be. */
public enum Word {
    /** From 0, which stands for any, to 65535. */
    PORT(word -> isNumber(word, 0) && Integer.parseInt(word) <= 65_535),

    /** From 0 to what an int holds. */
    TIMES(word -> isNumber(word, 0)),

    /** From 1 to what an int holds. */
    COUNT(word -> isNumber(word, 1)),

    /** A folder that is there. */
    FOLDER(word -> Files.isDirectory(Path.of(word))),

    /** A file or socket, there or not, in a folder that is. */
    FILE(word -> !word.isEmpty()
            && !Files.isDirectory(Path.of(word))
            && Files.isDirectory(Path.of(word).toAbsolutePath().resolveSibling(""))),

    /** A program, with its path or on the PATH. */
    PROGRAM(word -> word.contains("/") ? isProgram(Path.of(word)) : onPath(word));

    private final Predicate<String> fits;

    Word(Predicate<String> fits) {
        this.fits = fits;
    }

    /**
     * Whether the words are what the sample takes; each may be missing with all after it. Where they are not, it prints
     * which one is wrong, and how to call the sample.
     */
    public static boolean fit(String usage, String[] words, Word... allowed) {
        int fitting = 0;
        while (fitting < words.length && fitting < allowed.length && allowed[fitting].fits.test(words[fitting])) {
            fitting++;
        }
        if (fitting == words.length) {
            return true;
        }
        System.err.println("'" + words[fitting] + "' is not what this sample takes.");
        System.err.println("Usage: ./carillon sample " + usage);
        return false;
    }

    private static boolean onPath(String word) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> !word.isEmpty() && isProgram(Path.of(folder, word)));
    }

    private static boolean isProgram(Path file) {
        return Files.isExecutable(file) && !Files.isDirectory(file);
    }

    private static boolean isNumber(String word, int least) {
        try {
            return Integer.parseInt(word) >= least;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
