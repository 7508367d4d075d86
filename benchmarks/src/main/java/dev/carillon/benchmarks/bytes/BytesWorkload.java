package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Workload;
import dev.carillon.memory.OrderedBytes;
import java.util.HashMap;
import java.util.Map;

/** Accesses to the bytes of a region, as our own rooms make them. */
public final class BytesWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        works.put("int-get", ints((bytes, at, value) -> bytes.getInt(at)));
        works.put("int-put", ints((bytes, at, value) -> {
            bytes.putInt(at, (int) value);
            return 0;
        }));
        works.put("int-get-acquire", ints((bytes, at, value) -> bytes.getIntAcquire(at)));
        works.put("int-put-release", ints((bytes, at, value) -> {
            bytes.putIntRelease(at, (int) value);
            return 0;
        }));
        works.put("int-get-volatile", ints((bytes, at, value) -> bytes.getIntVolatile(at)));
        works.put("int-put-volatile", ints((bytes, at, value) -> {
            bytes.putIntVolatile(at, (int) value);
            return 0;
        }));
        works.put("int-compare-and-set", ints((bytes, at, value) -> bytes.compareAndSetInt(at, 0, 0) ? 1 : 0));
        works.put("int-get-and-add", ints((bytes, at, value) -> bytes.getAndAddInt(at, 1)));
        works.put("long-get", longs((bytes, at, value) -> bytes.getLong(at)));
        works.put("long-put", longs((bytes, at, value) -> {
            bytes.putLong(at, value);
            return 0;
        }));
        works.put("long-get-acquire", longs((bytes, at, value) -> bytes.getLongAcquire(at)));
        works.put("long-put-release", longs((bytes, at, value) -> {
            bytes.putLongRelease(at, value);
            return 0;
        }));
        works.put("long-get-volatile", longs((bytes, at, value) -> bytes.getLongVolatile(at)));
        works.put("long-put-volatile", longs((bytes, at, value) -> {
            bytes.putLongVolatile(at, value);
            return 0;
        }));
        works.put("long-compare-and-set", longs((bytes, at, value) -> bytes.compareAndSetLong(at, 0, 0) ? 1 : 0));
        works.put("long-get-and-add", longs((bytes, at, value) -> bytes.getAndAddLong(at, 1)));
        return works;
    }

    private static Opener ints(Access<OrderedBytes> access) {
        return stage -> WorkOnRegion.open(region -> AccessLoop.over(region.bytes(), Integer.BYTES, access));
    }

    private static Opener longs(Access<OrderedBytes> access) {
        return stage -> WorkOnRegion.open(region -> AccessLoop.over(region.bytes(), Long.BYTES, access));
    }
}
