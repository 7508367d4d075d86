package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Accesses to a long through a VarHandle alone.
 *
 * <p>Each loop stands by itself: a loop that several works shared would be compiled for all of them at once.
 */
final class BareLongs {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private BareLongs() {}

    static Work get(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.get(bytes, offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work put(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                LONGS.set(bytes, offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work getAcquire(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.getAcquire(bytes, offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work putRelease(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                LONGS.setRelease(bytes, offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work getVolatile(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.getVolatile(bytes, offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work putVolatile(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                LONGS.setVolatile(bytes, offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work compareAndSet(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long done = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                done += LONGS.compareAndSet(bytes, offset, 0L, 0L) ? 1 : 0;
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(done);
        };
    }

    static Work getAndAdd(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (long) LONGS.getAndAdd(bytes, offset, 1L);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }
}
