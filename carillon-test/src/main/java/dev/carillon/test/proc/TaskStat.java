package dev.carillon.test.proc;

import java.util.List;
import java.util.Optional;

/**
 * What {@code /proc/PID/stat} tells about a process, or the like file about a task.
 *
 * <p><b>See</b> proc_pid_stat(5).
 *
 * @param id the pid or the task id
 * @param name what the kernel calls it, at most 15 characters
 * @param state R running, S sleeping, Z zombie and so on
 * @param startTicks when it started, in ticks since the machine did
 */
public record TaskStat(int id, String name, char state, long startTicks) {
    /** Field 3 is the first one after the name. */
    private static final int START_TICKS_AFTER_NAME = 22 - 3;

    /** Tells it from a later one with the same id. */
    public String identity() {
        return id + "@" + startTicks;
    }

    /** Reads {@code folder/stat}, or nothing when the task has ended. */
    public static Optional<TaskStat> read(String folder) {
        return ProcFile.linesIfPresent(folder + "/stat").map(TaskStat::parse);
    }

    private static TaskStat parse(List<String> lines) {
        return parse(String.join("\n", lines));
    }

    /** Parses the text of a {@code stat} file. A name may hold blanks and brackets: only the last bracket closes it. */
    public static TaskStat parse(String stat) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        if (open < 0 || close < open) {
            throw new IllegalArgumentException("Not the text of a stat file: stat=" + stat);
        }
        String[] rest = stat.substring(close + 1).strip().split(" ", -1);
        return new TaskStat(
                Integer.parseInt(stat.substring(0, open).strip()),
                stat.substring(open + 1, close),
                rest[0].charAt(0),
                Long.parseLong(rest[START_TICKS_AFTER_NAME]));
    }
}
