package dev.carillon.benchmarks.garbage;

import static java.util.Map.entry;

import dev.carillon.benchmarks.shm.LinkFrames;
import dev.carillon.benchmarks.worker.JmhGarbage;
import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;

/** The garbage of one call each. */
public final class GarbageWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        return Map.ofEntries(
                entry("local-post", JmhGarbage.of(LoopCalls.class, "localPost")),
                entry("foreign-post", JmhGarbage.of(ForeignPosts.class, "post")),
                entry("timer", JmhGarbage.of(LoopCalls.class, "timerSetAnew")),
                entry("ready-io", JmhGarbage.of(LoopCalls.class, "readyIo")),
                entry("eventfd", JmhGarbage.of(CallsAndBytes.class, "eventfd")),
                entry("nothing-to-read", JmhGarbage.of(CallsAndBytes.class, "nothingToRead")),
                entry("eventfd-of-buffer", JmhGarbage.of(CallsAndBytes.class, "eventfdOfBuffer")),
                entry("ordered-bytes", JmhGarbage.of(CallsAndBytes.class, "orderedBytes")),
                entry("link-short", JmhGarbage.of(LinkFrames.class, "shortFrame")),
                entry("link-long", JmhGarbage.of(LinkFrames.class, "longFrame")),
                entry("link-short-claim", JmhGarbage.of(LinkFrames.class, "shortClaim")),
                entry("link-long-claim", JmhGarbage.of(LinkFrames.class, "longClaim")),
                entry("link-channel", JmhGarbage.of(LinkFrames.class, "channelFrame")),
                entry("link-channels-own", JmhGarbage.of(LinkFrames.class, "channelsOwnFrame")));
    }
}
