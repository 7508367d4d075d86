package dev.carillon.benchmarks.garbage;

import dev.carillon.benchmarks.shm.LinkFrames;
import dev.carillon.benchmarks.worker.JmhGarbage;
import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;

/** The garbage of one call each. */
public final class GarbageWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "local-post", JmhGarbage.of(LoopCalls.class, "localPost"),
                "foreign-post", JmhGarbage.of(ForeignPosts.class, "post"),
                "timer", JmhGarbage.of(LoopCalls.class, "timerSetAnew"),
                "ready-io", JmhGarbage.of(LoopCalls.class, "readyIo"),
                "eventfd", JmhGarbage.of(CallsAndBytes.class, "eventfd"),
                "nothing-to-read", JmhGarbage.of(CallsAndBytes.class, "nothingToRead"),
                "eventfd-of-buffer", JmhGarbage.of(CallsAndBytes.class, "eventfdOfBuffer"),
                "ordered-bytes", JmhGarbage.of(CallsAndBytes.class, "orderedBytes"),
                "link-short", JmhGarbage.of(LinkFrames.class, "shortFrame"),
                "link-long", JmhGarbage.of(LinkFrames.class, "longFrame"));
    }
}
