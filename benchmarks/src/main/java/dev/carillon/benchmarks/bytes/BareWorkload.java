package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Accesses to the same kind of memory through VarHandles alone. */
public final class BareWorkload implements Workload {
    /** JDK 17 alone has it. */
    private static final String SCOPE = "jdk.internal.misc.ScopedMemoryAccess$Scope";

    /**
     * As long as nobody has loaded this class, JDK 17's compiler leaves each access to a buffer as a call, and never
     * tries again: whether the peer is three times slower would be a matter of luck.
     */
    static void loadWhatTheCompilerNeeds() {
        try {
            Class.forName(SCOPE, false, null);
        } catch (ClassNotFoundException e) {
            if (Runtime.version().feature() == 17) {
                throw new IllegalStateException("JDK 17 without " + SCOPE, e);
            }
        }
    }

    @Override
    public Map<String, Opener> works() {
        loadWhatTheCompilerNeeds();
        Map<String, Opener> works = new HashMap<>();
        works.put("int-get", on(BareInts::get));
        works.put("int-put", on(BareInts::put));
        works.put("int-get-acquire", on(BareInts::getAcquire));
        works.put("int-put-release", on(BareInts::putRelease));
        works.put("int-get-volatile", on(BareInts::getVolatile));
        works.put("int-put-volatile", on(BareInts::putVolatile));
        works.put("int-compare-and-set", on(BareInts::compareAndSet));
        works.put("int-get-and-add", on(BareInts::getAndAdd));
        works.put("long-get", on(BareLongs::get));
        works.put("long-put", on(BareLongs::put));
        works.put("long-get-acquire", on(BareLongs::getAcquire));
        works.put("long-put-release", on(BareLongs::putRelease));
        works.put("long-get-volatile", on(BareLongs::getVolatile));
        works.put("long-put-volatile", on(BareLongs::putVolatile));
        works.put("long-compare-and-set", on(BareLongs::compareAndSet));
        works.put("long-get-and-add", on(BareLongs::getAndAdd));
        return works;
    }

    private static Workload.Opener on(Function<ByteBuffer, Work> work) {
        return stage -> WorkOnRegion.open(region -> work.apply(region.buffer()));
    }
}
