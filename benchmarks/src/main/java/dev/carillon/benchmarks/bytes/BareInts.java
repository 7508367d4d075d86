package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Accesses to an int through a VarHandle alone.
 *
 * <p>Each loop stands by itself: a loop that several works shared would be compiled for all of them at once.
 */
final class BareInts {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private BareInts() {}

    static Work get(ByteBuffer bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += (int) INTS.get(bytes, offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                INTS.set(bytes, offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += (int) INTS.getAcquire(bytes, offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                INTS.setRelease(bytes, offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += (int) INTS.getVolatile(bytes, offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                INTS.setVolatile(bytes, offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                done += INTS.compareAndSet(bytes, offset, 0, 0) ? 1 : 0;
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += (int) INTS.getAndAdd(bytes, offset, 1);
                offset = Offsets.after(offset, Integer.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }
}
