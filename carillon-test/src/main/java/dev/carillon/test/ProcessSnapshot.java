package dev.carillon.test;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.carillon.test.SignalChanges.TaskMask;
import dev.carillon.test.proc.Children;
import dev.carillon.test.proc.Descriptors;
import dev.carillon.test.proc.Mapping;
import dev.carillon.test.proc.SignalState;
import dev.carillon.test.proc.TaskStat;
import dev.carillon.test.proc.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What this process holds at one moment: descriptors, threads, mappings, children, signal dispositions and masks.
 *
 * <p>What the VM and the test runner open for themselves is left out. Use it by hand where {@link LeakExtension} looks
 * too seldom, after each round of a long test for example.
 *
 * <p><b>Threading</b> Immutable; take it from any thread. Others that work meanwhile may be seen half way.
 *
 * <p><b>See</b> proc(5).
 */
public final class ProcessSnapshot {
    /** Tasks that the kernel makes for an io_uring are named {@code iou-wrk-PID} or {@code iou-sqp-PID}. */
    private static final String KERNEL_WORKER_NAME = "iou-";

    private static final String SELF = "/proc/self";

    static {
        VmNoise.provoke();
    }

    private final Map<Integer, String> descriptors;
    private final Set<Thread> threads;
    private final Map<String, TaskStat> workers;
    private final Map<String, Long> mappings;
    private final Map<String, TaskStat> children;
    private final SignalState signals;
    private final Map<String, TaskMask> masks;

    private ProcessSnapshot() {
        List<TaskStat> tasks = Tasks.all();
        descriptors = new TreeMap<>(Descriptors.open());
        descriptors.values().removeIf(VmNoise::descriptor);
        threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !VmNoise.thread(thread))
                .collect(toSet());
        workers = tasks.stream()
                .filter(task -> task.name().startsWith(KERNEL_WORKER_NAME))
                .collect(toMap(TaskStat::identity, task -> task));
        mappings = bytesByFile(Mapping.all());
        children = Children.all().stream().collect(toMap(TaskStat::identity, child -> child));
        signals = SignalState.read(SELF).orElseThrow();
        masks = Tasks.steadyMasks(tasks).entrySet().stream()
                .collect(toMap(
                        entry -> entry.getKey().identity(), entry -> new TaskMask(entry.getKey(), entry.getValue())));
    }

    /** Looks now. */
    public static ProcessSnapshot take() {
        return new ProcessSnapshot();
    }

    /** What is there now and was not there before, and what is changed. */
    public List<Leftover> since(ProcessSnapshot before) {
        List<Leftover> leftovers = new ArrayList<>();
        descriptors.forEach((number, target) -> {
            if (!target.equals(before.descriptors.get(number))) {
                leftovers.add(new Leftover(LeakKind.DESCRIPTOR, "descriptor " + number + " -> " + target));
            }
        });
        threads.stream()
                .filter(thread -> thread.isAlive() && !before.threads.contains(thread))
                .forEach(thread -> leftovers.add(new Leftover(LeakKind.THREAD, ThreadDump.of(thread))));
        addNew(leftovers, LeakKind.KERNEL_WORKER, workers, before.workers);
        mappings.forEach((file, bytes) -> {
            long earlier = before.mappings.getOrDefault(file, 0L);
            if (bytes > earlier) {
                leftovers.add(new Leftover(
                        LeakKind.MAPPING, "mapping of " + file + ": " + earlier + " bytes before, " + bytes + " now"));
            }
        });
        addNew(leftovers, LeakKind.CHILD, children, before.children);
        leftovers.addAll(SignalChanges.ofDispositions(before.signals, signals));
        leftovers.addAll(SignalChanges.ofMasks(before.masks, masks));
        return List.copyOf(leftovers);
    }

    private static void addNew(
            List<Leftover> leftovers, LeakKind kind, Map<String, TaskStat> now, Map<String, TaskStat> before) {
        now.forEach((identity, task) -> {
            if (!before.containsKey(identity)) {
                String command = kind == LeakKind.CHILD ? ": " + Children.commandLine(task.id()) : "";
                String zombie = task.state() == 'Z' ? " (zombie: ended, but nobody waited for it)" : "";
                leftovers.add(new Leftover(
                        kind,
                        (kind == LeakKind.CHILD ? "child " : "kernel worker ") + task.id() + " \"" + task.name()
                                + "\" in state " + task.state() + zombie + command));
            }
        });
    }

    /** Summed per file, as the kernel joins neighbours and splits what is unmapped in part. */
    private static Map<String, Long> bytesByFile(List<Mapping> all) {
        Set<String> libraries = all.stream()
                .filter(Mapping::executable)
                .map(ProcessSnapshot::file)
                .collect(toSet());
        return all.stream()
                .filter(mapping -> !VmNoise.mapping(mapping) && !libraries.contains(file(mapping)))
                .collect(groupingBy(ProcessSnapshot::file, TreeMap::new, summingLong(Mapping::bytes)));
    }

    private static String file(Mapping mapping) {
        return mapping.path() + " (device and inode " + mapping.file() + ")";
    }

    /**
     * One thing that is there and was not there before.
     *
     * @param kind what it is
     * @param what its number, name or target; for a thread its stack
     */
    public record Leftover(LeakKind kind, String what) {}
}
