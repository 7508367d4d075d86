package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import dev.carillon.memory.OrderedBytes;

/**
 * Accesses to a long through our ordered bytes.
 *
 * <p>Each loop stands by itself: a loop that several works shared would be compiled for all of them at once.
 */
final class OrderedLongs {
    private OrderedLongs() {}

    static Work get(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += bytes.getLong(offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work put(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                bytes.putLong(offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work getAcquire(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += bytes.getLongAcquire(offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work putRelease(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                bytes.putLongRelease(offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work getVolatile(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += bytes.getLongVolatile(offset);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }

    static Work putVolatile(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                bytes.putLongVolatile(offset, i);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
        };
    }

    static Work compareAndSet(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long done = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                done += bytes.compareAndSetLong(offset, 0, 0) ? 1 : 0;
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(done);
        };
    }

    static Work getAndAdd(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += bytes.getAndAddLong(offset, 1);
                offset = Offsets.after(offset, Long.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }
}
