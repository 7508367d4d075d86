package dev.carillon.benchmarks.echo;

import com.sun.management.ThreadMXBean;
import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Work;
import java.lang.management.ManagementFactory;

/** The bytes that all threads of this process together allocate for one operation of a work. */
final class GarbageOf implements Work {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Work work;
    private final Figures thrownAway = new Figures();

    GarbageOf(Work work) {
        this.work = work;
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        thrownAway.clear();
        long before = allocated();
        work.round(ops, thrownAway);
        figures.value((double) (allocated() - before) / ops);
    }

    private static long allocated() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    @Override
    public void close() {
        work.close();
    }
}
