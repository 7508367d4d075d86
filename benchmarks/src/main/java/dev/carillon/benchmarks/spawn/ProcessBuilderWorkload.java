package dev.carillon.benchmarks.spawn;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Workload;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;

/** The same with ProcessBuilder, without pipes. */
public final class ProcessBuilderWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        return Map.of("spawn", stage -> SpawnWorkload.warm(ProcessBuilderWorkload::spawn));
    }

    private static void spawn(long ops, Figures figures) throws Exception {
        ProcessBuilder command = new ProcessBuilder(SpawnWorkload.PROGRAM)
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.INHERIT);
        long start = System.nanoTime();
        for (long i = 0; i < ops; i++) {
            int code = command.start().waitFor();
            if (code != 0) {
                throw new IllegalStateException(SpawnWorkload.PROGRAM + ": " + code);
            }
        }
        figures.nanos(System.nanoTime() - start);
    }
}
