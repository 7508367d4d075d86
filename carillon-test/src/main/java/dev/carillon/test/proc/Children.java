package dev.carillon.test.proc;

import java.util.List;
import java.util.Optional;

/** Children of this process, zombies included. */
public final class Children {
    private Children() {}

    /** Every child that is there, each with its state. */
    public static List<TaskStat> all() {
        return ProcessHandle.current()
                .children()
                .map(child -> TaskStat.read("/proc/" + child.pid()))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Its command line; empty for a zombie, which has none any more. */
    public static String commandLine(int pid) {
        return ProcFile.linesIfPresent("/proc/" + pid + "/cmdline")
                .map(lines -> String.join("\n", lines).replace('\0', ' ').strip())
                .orElse("");
    }

    /** Whether a process is gone, or is a zombie that its parent has not waited for. */
    public static boolean hasEnded(long pid) {
        return TaskStat.read("/proc/" + pid).filter(stat -> stat.state() != 'Z').isEmpty();
    }

    /** The file that a process runs; empty when it has ended or belongs to another user. */
    public static String program(long pid) {
        return ProcessHandle.of(pid).flatMap(handle -> handle.info().command()).orElse("");
    }
}
