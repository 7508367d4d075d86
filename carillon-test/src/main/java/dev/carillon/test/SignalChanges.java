package dev.carillon.test;

import dev.carillon.test.ProcessSnapshot.Leftover;
import dev.carillon.test.proc.SignalNames;
import dev.carillon.test.proc.SignalState;
import dev.carillon.test.proc.TaskStat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compares what a process does on signals, and what its tasks block, at two moments. */
final class SignalChanges {
    private SignalChanges() {}

    static List<Leftover> ofDispositions(SignalState before, SignalState now) {
        List<Leftover> changes = new ArrayList<>();
        signals().filter(signal -> !VmNoise.disposition(signal)).forEach(signal -> {
            String was = before.disposition(signal);
            String is = now.disposition(signal);
            if (!was.equals(is)) {
                String what = "disposition of " + SignalNames.describe(signal) + ": " + was + " before, " + is + " now";
                changes.add(new Leftover(LeakKind.DISPOSITION, what));
            }
        });
        return changes;
    }

    /** Of the tasks that lived before and still live; a new one may block what it likes. */
    static List<Leftover> ofMasks(Map<String, TaskMask> before, Map<String, TaskMask> now) {
        List<Leftover> changes = new ArrayList<>();
        now.forEach((identity, mask) -> {
            TaskMask earlier = before.get(identity);
            if (earlier != null && earlier.blocked != mask.blocked) {
                String what = "mask of task " + mask.task.id() + " \"" + mask.task.name() + "\": "
                        + difference(earlier.blocked, mask.blocked);
                changes.add(new Leftover(LeakKind.MASK, what));
            }
        });
        return changes;
    }

    private static String difference(long before, long now) {
        return signals()
                .filter(signal -> SignalState.has(before ^ now, signal))
                .mapToObj(signal -> SignalNames.describe(signal)
                        + (SignalState.has(now, signal) ? " is blocked now" : " is not blocked any more"))
                .collect(Collectors.joining(", "));
    }

    private static IntStream signals() {
        return IntStream.rangeClosed(1, SignalState.LAST_SIGNAL);
    }

    /** The signals that one task blocks. */
    record TaskMask(TaskStat task, long blocked) {}
}
