package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import dev.carillon.memory.OrderedBytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Accesses to the bytes of a region, as our own rooms make them. */
public final class BytesWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        works.put("int-get", on(OrderedInts::get));
        works.put("int-put", on(OrderedInts::put));
        works.put("int-get-acquire", on(OrderedInts::getAcquire));
        works.put("int-put-release", on(OrderedInts::putRelease));
        works.put("int-get-volatile", on(OrderedInts::getVolatile));
        works.put("int-put-volatile", on(OrderedInts::putVolatile));
        works.put("int-compare-and-set", on(OrderedInts::compareAndSet));
        works.put("int-get-and-add", on(OrderedInts::getAndAdd));
        works.put("long-get", on(OrderedLongs::get));
        works.put("long-put", on(OrderedLongs::put));
        works.put("long-get-acquire", on(OrderedLongs::getAcquire));
        works.put("long-put-release", on(OrderedLongs::putRelease));
        works.put("long-get-volatile", on(OrderedLongs::getVolatile));
        works.put("long-put-volatile", on(OrderedLongs::putVolatile));
        works.put("long-compare-and-set", on(OrderedLongs::compareAndSet));
        works.put("long-get-and-add", on(OrderedLongs::getAndAdd));
        return works;
    }

    private static Workload.Opener on(Function<OrderedBytes, Work> work) {
        return stage -> WorkOnRegion.open(region -> work.apply(region.bytes()));
    }
}
