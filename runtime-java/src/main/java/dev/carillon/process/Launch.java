package dev.carillon.process;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.SpawnPlan;
import dev.carillon.sys.call.Sys;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

/** Starts one child. */
final class Launch {
    private static final long NO_SIGNAL = 0;
    private static final long ALL_SIGNALS = -1;

    private Launch() {}

    static Child of(Spawn.Builder wanted, EventLoop loop) {
        if (loop.isStopping() || loop.isTerminated()) {
            throw new RejectedExecutionException(loop + " is stopping or has ended and can watch no child; open another"
                    + " loop, or call start(), which finds a watcher also while the VM exits");
        }
        return start(wanted, loop);
    }

    /** On the shared loop; while the VM exits, and that loop stops, without one. */
    // r[impl process.loop-end]
    static Child of(Spawn.Builder wanted) {
        EventLoop shared = EventLoop.shared();
        if (shared.isStopping() && wanted.hasPipes()) {
            throw new RejectedExecutionException("the VM exits and has stopped " + shared + ", on which the pipes of "
                    + wanted + " would live; hold the loops (EventLoop.holdExit), or use files");
        }
        return start(wanted, shared);
    }

    // r[impl process.spawn] r[impl process.no-leak]
    private static Child start(Spawn.Builder wanted, EventLoop loop) {
        Sys sys = Sys.get();
        ChildDescriptors descriptors = ChildDescriptors.prepare(sys, loop, wanted);
        boolean started = false;
        try (descriptors;
                SpawnPlan plan = sys.processes().plan()) {
            ChildWatch watch = new ChildWatch(sys, loop);
            Child child = new Child(loop, watch, descriptors);
            int pid = spawn(plan, wanted, descriptors);
            if (pid < 0) {
                throw SpawnException.of(-pid, wanted.words.get(0).toString(), wanted.directory);
            }
            watch.begin(pid);
            started = true;
            return child;
        } finally {
            if (!started) {
                descriptors.closeOurs();
            }
        }
    }

    // r[impl process.clean]
    private static int spawn(SpawnPlan plan, Spawn.Builder wanted, ChildDescriptors descriptors) {
        plan.mask(NO_SIGNAL);
        plan.defaults(wanted.keepsIgnored ? ALL_SIGNALS & ~Sys.get().signals().ignoredAtStart() : ALL_SIGNALS);
        descriptors.addTo(plan);
        if (wanted.directory != null) {
            plan.directory(wanted.directory);
        }
        List<byte[]> arguments = IntStream.range(0, wanted.words.size())
                .mapToObj(i -> wanted.words.get(i).bytes(i == 0 ? "the program" : "argument " + i))
                .toList();
        return plan.spawn(arguments.get(0), arguments, wanted.environment.entries());
    }
}
