package dev.carillon.benchmarks.bytes;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Work;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.Objects;

/**
 * Makes one access again and again.
 *
 * <p>Each work has a copy of this class of its own: a loop that several works shared would be compiled for all of them at
 * once.
 *
 * @param <B> what is accessed; handed to each access, so that it need not be a field of a lambda
 */
final class AccessLoop<B> implements Work {
    private final B bytes;
    private final int step;
    private final Access<B> access;

    AccessLoop(B bytes, int step, Access<B> access) {
        this.bytes = bytes;
        this.step = step;
        this.access = access;
    }

    /**
     * A loop over all offsets.
     *
     * @param step how many bytes one access takes
     */
    static <B> Work over(B bytes, int step, Access<B> access) {
        try (InputStream file = Objects.requireNonNull(AccessLoop.class.getResourceAsStream("AccessLoop.class"))) {
            return (Work) MethodHandles.lookup()
                    .defineHiddenClass(file.readAllBytes(), true)
                    .lookupClass()
                    .getDeclaredConstructor(Object.class, int.class, Access.class)
                    .newInstance(bytes, step, access);
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("no copy of " + AccessLoop.class + " can be made", e);
        }
    }

    @Override
    public void round(long ops, Figures figures) {
        B target = bytes;
        int offset = 0;
        long sum = 0;
        long start = System.nanoTime();
        for (long i = 0; i < ops; i++) {
            sum += access.at(target, offset, i);
            offset = Offsets.after(offset, step);
        }
        figures.nanos(System.nanoTime() - start);
        figures.consume(sum);
    }
}
