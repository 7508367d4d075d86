package dev.carillon.shm.inspect;

import dev.carillon.lifecycle.ExitHook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Shows the links of a host, by its directory or its pid, or those of a guest by its pid.
 *
 * <p>Exits with 0 when it has shown them, with 1 if the auditor has found a violation, with 2 for words that it does not know, with 3 if
 * it cannot write, with 4 if there is no such directory, process, host or link, with 5 if another user may look.
 *
 * <p>Options: {@code --watch} shows them each second, until the host ends or somebody ends this; what a dead host has left is shown
 * once. {@code --json} is for programs, and writes a line for each look.
 */
// r[impl shm.inspect]
public final class CarillonShm {
    private static final String USAGE = "carillon shm: give a directory or a pid, and --watch or --json if you like";
    private static final long EACH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String CLEAR = "\u001b[H\u001b[2J";
    private static final int WRONG_WORDS = 2;
    private static final int NOT_WRITTEN = 3;

    private CarillonShm() {}

    /**
     * Runs it.
     *
     * @param arguments a directory or a pid, {@code --watch}, {@code --json}
     */
    public static void main(String... arguments) {
        ExitHook.ofVm().exit(run(arguments));
    }

    private static int run(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        boolean watch = words.remove("--watch");
        boolean json = words.remove("--json");
        if (words.size() != 1 || words.get(0).isEmpty() || words.get(0).startsWith("-")) {
            System.err.println(USAGE);
            return WRONG_WORDS;
        }
        return show(words.get(0), watch, json);
    }

    private static int show(String word, boolean watch, boolean json) {
        LinkReader reader = new LinkReader();
        boolean shown = false;
        int code;
        do {
            FoundLinks found;
            Screen screen;
            try {
                found = LinkFinder.find(word);
                screen = reader.read(found);
            } catch (NotShownException e) {
                System.err.println("carillon shm: " + e.getMessage());
                return shown && e.code() == NotShownException.NOTHING ? 0 : e.code();
            }
            String text = json ? LinkJson.of(screen) : LinkReport.of(screen);
            System.out.print(watch && !json && isTerminal() ? CLEAR + text : text);
            System.out.flush();
            if (System.out.checkError()) {
                System.err.println("carillon shm: the links could not be written; look at where standard output leads:"
                        + " is the disk full, or the reader gone?");
                return NOT_WRITTEN;
            }
            // Files that are named as links are, and are none, no host has left.
            code = found.isLeft() && screen.exitCode() == 0 && screen.links().isEmpty()
                    ? NotShownException.NOTHING
                    : screen.exitCode();
            if (watch && found.isLeft()) {
                System.err.println(
                        "carillon shm: the host is gone, and what it has left changes no more; the next host in " + word
                                + " removes it");
                return code;
            }
            shown = true;
        } while (watch && oneSecondLater());
        return code;
    }

    /** Whether standard output is a screen, which can be cleared. */
    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException unknown) {
            return false;
        }
    }

    private static boolean oneSecondLater() {
        long end = System.nanoTime() + EACH_NANOS;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        return true;
    }
}
