package dev.carillon.samples.words;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a word on a sample's command line can be. */
public enum Word {
    /** From 0, which stands for any, to 65535. */
    PORT,

    /** From 0 to what an int holds. */
    TIMES,

    /** From 1 to what an int holds. */
    COUNT,

    /** A folder that is there. */
    FOLDER,

    /** A file or socket, there or not, in a folder that is. */
    FILE,

    /** A program, with its path or on the PATH. */
    PROGRAM;

    /**
     * Whether the words are what the sample takes; each may be missing with all after it. Where they are not, it prints
     * which one is wrong, and how to call the sample.
     */
    public static boolean fit(String usage, String[] words, Word... allowed) {
        int fitting = 0;
        while (fitting < words.length && fitting < allowed.length && allowed[fitting].takes(words[fitting])) {
            fitting++;
        }
        if (fitting == words.length) {
            return true;
        }
        System.err.println("'" + words[fitting] + "' is not what this sample takes.");
        System.err.println("Usage: ./carillon sample " + usage);
        return false;
    }

    private boolean takes(String word) {
        return switch (this) {
            case PORT -> isNumber(word, 0, 65_535);
            case TIMES -> isNumber(word, 0, Integer.MAX_VALUE);
            case COUNT -> isNumber(word, 1, Integer.MAX_VALUE);
            case FOLDER -> Files.isDirectory(Path.of(word));
            case FILE -> !word.isEmpty() && !Files.isDirectory(Path.of(word)) && Files.isDirectory(folderOf(word));
            case PROGRAM -> word.contains("/") ? isProgram(Path.of(word)) : onPath(word);
        };
    }

    private static Path folderOf(String file) {
        return Path.of(file).toAbsolutePath().resolveSibling("");
    }

    private static boolean onPath(String word) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> !word.isEmpty() && isProgram(Path.of(folder, word)));
    }

    private static boolean isProgram(Path file) {
        return Files.isExecutable(file) && !Files.isDirectory(file);
    }

    private static boolean isNumber(String word, int least, int most) {
        try {
            int number = Integer.parseInt(word);
            return number >= least && number <= most;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
