package dev.carillon.process;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.SpawnPlan;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Starts one child. */
final class Launch {
    private static final long NO_SIGNAL = 0;
    private static final long ALL_SIGNALS = -1;
    private static final long REAP_PATIENCE_NANOS = 5_000_000_000L;
    private static final long REAP_PAUSE_NANOS = 100_000;

    private Launch() {}

    // r[impl process.spawn]
    static Child of(Spawn.Builder wanted, EventLoop loop) {
        if (loop.isStopping() || loop.isTerminated()) {
            throw new RejectedExecutionException(loop + " is stopping or has ended and can watch no child");
        }
        Sys sys = Sys.get();
        ChildDescriptors descriptors = ChildDescriptors.prepare(sys, loop, wanted);
        try (descriptors;
                SpawnPlan plan = sys.processes().plan()) {
            int pid = spawn(plan, wanted, descriptors);
            if (pid < 0) {
                throw SpawnException.of(-pid, wanted.words.get(0), wanted.directory);
            }
            return new Child(pid, loop, watch(sys, pid, loop), descriptors);
        } catch (RuntimeException failure) {
            descriptors.closeAll();
            throw failure;
        }
    }

    /** A child that cannot be watched, for want of descriptors, is not to go on unseen. */
    private static ChildWatch watch(Sys sys, int pid, EventLoop loop) {
        try {
            return ChildWatch.begin(sys, pid, loop);
        } catch (RuntimeException unwatchable) {
            sys.signals().send(pid, Signal.SIGKILL.number());
            long deadline = System.nanoTime() + REAP_PATIENCE_NANOS;
            while (sys.processes().reapNow(pid) == null && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(REAP_PAUSE_NANOS);
            }
            throw unwatchable;
        }
    }

    // r[impl process.clean]
    private static int spawn(SpawnPlan plan, Spawn.Builder wanted, ChildDescriptors descriptors) {
        plan.mask(NO_SIGNAL);
        plan.defaults(wanted.keepsIgnored ? ALL_SIGNALS & ~IgnoredSignals.AT_START : ALL_SIGNALS);
        descriptors.addTo(plan);
        if (wanted.directory != null) {
            plan.directory(wanted.directory);
        }
        return plan.spawn(wanted.words.get(0), wanted.words, wanted.environment.entries());
    }
}
