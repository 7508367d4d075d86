package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.ProcessFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;

/** What /proc says of a process. */
enum ProcessState {
    /** It is there. */
    ALIVE,

    /** It was stopped by a signal or a debugger. */
    STOPPED,

    /** It has ended, or cannot be seen from here. */
    ENDED;

    /** Field 22 of stat, counted from behind the name, which may have blanks. */
    private static final int START_TIME = 19;

    private static final long ANY = 0;

    /** That of a process; one that has another pid namespace may have another number here. */
    static ProcessState of(long pid) {
        return of(pid, ANY);
    }

    /**
     * As {@link #of(long)}, where the pid may be another's by now.
     *
     * @param startTime when it started, in clock ticks; 0 if that is not known
     */
    static ProcessState of(long pid, long startTime) {
        try {
            String stat = Files.readString(ProcessFiles.folder(pid).resolve("stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            if (startTime != ANY && Long.parseLong(fields[START_TIME]) != startTime) {
                return ENDED;
            }
            return switch (fields[0]) {
                case "Z", "X" -> ENDED;
                case "T", "t" -> STOPPED;
                default -> ALIVE;
            };
        } catch (IOException gone) {
            return ENDED;
        }
    }

    /** In a word. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
