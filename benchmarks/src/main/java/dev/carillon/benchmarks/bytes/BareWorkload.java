package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Workload;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** Accesses to the same kind of memory through VarHandles alone. */
public final class BareWorkload implements Workload {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

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
        works.put("int-get", ints((bytes, at, value) -> (int) INTS.get(bytes, at)));
        works.put("int-put", ints((bytes, at, value) -> {
            INTS.set(bytes, at, (int) value);
            return 0;
        }));
        works.put("int-get-acquire", ints((bytes, at, value) -> (int) INTS.getAcquire(bytes, at)));
        works.put("int-put-release", ints((bytes, at, value) -> {
            INTS.setRelease(bytes, at, (int) value);
            return 0;
        }));
        works.put("int-get-volatile", ints((bytes, at, value) -> (int) INTS.getVolatile(bytes, at)));
        works.put("int-put-volatile", ints((bytes, at, value) -> {
            INTS.setVolatile(bytes, at, (int) value);
            return 0;
        }));
        works.put("int-compare-and-set", ints((bytes, at, value) -> INTS.compareAndSet(bytes, at, 0, 0) ? 1 : 0));
        works.put("int-get-and-add", ints((bytes, at, value) -> (int) INTS.getAndAdd(bytes, at, 1)));
        works.put("long-get", longs((bytes, at, value) -> (long) LONGS.get(bytes, at)));
        works.put("long-put", longs((bytes, at, value) -> {
            LONGS.set(bytes, at, value);
            return 0;
        }));
        works.put("long-get-acquire", longs((bytes, at, value) -> (long) LONGS.getAcquire(bytes, at)));
        works.put("long-put-release", longs((bytes, at, value) -> {
            LONGS.setRelease(bytes, at, value);
            return 0;
        }));
        works.put("long-get-volatile", longs((bytes, at, value) -> (long) LONGS.getVolatile(bytes, at)));
        works.put("long-put-volatile", longs((bytes, at, value) -> {
            LONGS.setVolatile(bytes, at, value);
            return 0;
        }));
        works.put("long-compare-and-set", longs((bytes, at, value) -> LONGS.compareAndSet(bytes, at, 0L, 0L) ? 1 : 0));
        works.put("long-get-and-add", longs((bytes, at, value) -> (long) LONGS.getAndAdd(bytes, at, 1L)));
        return works;
    }

    private static Opener ints(Access<ByteBuffer> access) {
        return stage -> WorkOnRegion.open(region -> AccessLoop.over(region.buffer(), Integer.BYTES, access));
    }

    private static Opener longs(Access<ByteBuffer> access) {
        return stage -> WorkOnRegion.open(region -> AccessLoop.over(region.buffer(), Long.BYTES, access));
    }
}
