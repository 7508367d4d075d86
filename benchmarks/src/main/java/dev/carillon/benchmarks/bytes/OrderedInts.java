package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Work;
import dev.carillon.memory.OrderedBytes;

/**
 * Accesses to an int through our ordered bytes.
 *
 * <p>Each loop stands by itself: a loop that several works shared would be compiled for all of them at once.
 */
final class OrderedInts {
    private OrderedInts() {}

    static Work get(OrderedBytes bytes) {
        return (ops, figures) -> {
            int offset = 0;
            long sum = 0;
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sum += bytes.getInt(offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                bytes.putInt(offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += bytes.getIntAcquire(offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                bytes.putIntRelease(offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += bytes.getIntVolatile(offset);
                offset = Offsets.after(offset, Integer.BYTES);
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
                bytes.putIntVolatile(offset, (int) i);
                offset = Offsets.after(offset, Integer.BYTES);
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
                done += bytes.compareAndSetInt(offset, 0, 0) ? 1 : 0;
                offset = Offsets.after(offset, Integer.BYTES);
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
                sum += bytes.getAndAddInt(offset, 1);
                offset = Offsets.after(offset, Integer.BYTES);
            }
            figures.nanos(System.nanoTime() - start);
            figures.consume(sum);
        };
    }
}
