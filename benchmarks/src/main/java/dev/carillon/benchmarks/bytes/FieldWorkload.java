package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.function.Function;

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
                "long-get-acquire", on(FieldWorkload::getAcquire),
                "long-put-release", on(FieldWorkload::putRelease),
                "long-get-volatile", on(FieldWorkload::getVolatile));
    }

    private static Workload.Opener on(Function<Holder, Work> work) {
        return stage -> WorkOnRegion.open(region -> work.apply(new Holder(region.buffer())));
    }

    private static Work getAcquire(Holder holder) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.getAcquire(holder.bytes, offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    private static Work putRelease(Holder holder) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                LONGS.setRelease(holder.bytes, offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    private static Work getVolatile(Holder holder) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.getVolatile(holder.bytes, offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    private static final class Holder {
        private final ByteBuffer bytes;

        Holder(ByteBuffer bytes) {
            this.bytes = bytes;
        }
    }
}
