package dev.carillon.test.proc;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The tasks of this process: its threads as the kernel counts them, and kernel workers that serve it. */
public final class Tasks {
    private static final String FOLDER = "/proc/self/task/";

    /** The first of the signals that are the C library's own; nobody else can block it. */
    private static final int OF_LIBC = 32;

    private Tasks() {}

    /** Every task that lives. */
    public static List<TaskStat> all() {
        return ProcFile.numbersIn(FOLDER).stream()
                .map(id -> TaskStat.read(FOLDER + id))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * The mask of every task, as far as it holds still.
     *
     * <p>The C library blocks all signals for the moment in which it makes a thread or a process; a task that is seen
     * in that moment would look changed ever after. So each one is read twice, and left out when the two differ. And it
     * is left out where the library's own signals are blocked too: the moment is long where the task has no processor.
     */
    public static Map<TaskStat, Long> steadyMasks(List<TaskStat> tasks) {
        Map<TaskStat, Long> first = masks(tasks);
        Map<TaskStat, Long> second = masks(tasks);
        first.entrySet().removeIf(entry -> !entry.getValue().equals(second.get(entry.getKey())));
        return first;
    }

    private static Map<TaskStat, Long> masks(List<TaskStat> tasks) {
        Map<TaskStat, Long> masks = new TreeMap<>(Comparator.comparingInt(TaskStat::id));
        for (TaskStat task : tasks) {
            SignalState.read(FOLDER + task.id())
                    .map(SignalState::blocked)
                    .filter(blocked -> !SignalState.has(blocked, OF_LIBC))
                    .ifPresent(blocked -> masks.put(task, blocked));
        }
        return masks;
    }
}
