package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Workload;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * A VarHandle again, on a buffer that stands in a field of an object, as in any class that somebody would write around
 * one: after an acquire or a volatile load no field may be kept in a register, so it is loaded anew for each access.
 */
public final class FieldWorkload implements Workload {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    @Override
    public Map<String, Opener> works() {
        BareWorkload.loadWhatTheCompilerNeeds();
        return Map.of(
                "long-get-acquire", longs((holder, at, value) -> (long) LONGS.getAcquire(holder.bytes, at)),
                "long-put-release",
                        longs((holder, at, value) -> {
                            LONGS.setRelease(holder.bytes, at, value);
                            return 0;
                        }),
                "long-get-volatile", longs((holder, at, value) -> (long) LONGS.getVolatile(holder.bytes, at)));
    }

    private static Opener longs(Access<Holder> access) {
        return stage -> WorkOnRegion.open(region -> AccessLoop.over(new Holder(region.buffer()), Long.BYTES, access));
    }

    private static final class Holder {
        private final ByteBuffer bytes;

        Holder(ByteBuffer bytes) {
            this.bytes = bytes;
        }
    }
}
