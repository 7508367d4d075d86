package dev.carillon.benchmarks.spawn;

import dev.carillon.ExitStatus;
import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import java.util.Map;

/** Starts a program that does nothing and waits for its end, one after the other. */
public final class SpawnWorkload implements Workload {
    static final String PROGRAM = "/bin/true";
    static final int WARM_UP = 200;

    @Override
    public Map<String, Opener> works() {
        return Map.of("spawn", stage -> warm(new Spawning()));
    }

    static Work warm(Work work) throws Exception {
        work.round(WARM_UP, new Figures());
        return work;
    }

    private static final class Spawning implements Work {
        private final EventLoop loop = EventLoop.open().start();
        private final Spawn.Builder command =
                Spawn.command(PROGRAM).stdin(Stdio.nothing()).stdout(Stdio.nothing());

        @Override
        public void round(long ops, Figures figures) throws Exception {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                ExitStatus status = command.start(loop).exit().get();
                if (!status.isSuccess()) {
                    throw new IllegalStateException(PROGRAM + ": " + status);
                }
            }
            figures.nanos(System.nanoTime() - start);
        }

        @Override
        public void close() {
            loop.close();
        }
    }
}
