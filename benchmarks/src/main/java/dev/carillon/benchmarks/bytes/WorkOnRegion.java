package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.memory.MemoryRegion;
import java.util.function.Function;

/**
 * A work with the memory it works on.
 *
 * @param region closed with the work
 * @param work what is done to its bytes
 */
record WorkOnRegion(MemoryRegion region, Work work) implements Work {
    static WorkOnRegion open(Function<MemoryRegion, Work> work) throws Exception {
        MemoryRegion region = MemoryRegion.anonymous(Offsets.SIZE);
        return new WorkOnRegion(region, WarmUp.shortRounds(work.apply(region)));
    }

    @Override
    public void round(long ops, Figures figures) throws Exception {
        work.round(ops, figures);
    }

    @Override
    public void close() {
        region.close();
    }
}
