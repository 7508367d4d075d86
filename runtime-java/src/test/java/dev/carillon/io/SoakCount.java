package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts what was started and what was told, and finds what is told twice.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SoakCount {
    private static final int STEPS_AT_ONCE = 300;

    private final Semaphore places = new Semaphore(STEPS_AT_ONCE);
    private final AtomicLong promised = new AtomicLong();
    private final AtomicLong kept = new AtomicLong();
    private final Queue<String> defects = new ConcurrentLinkedQueue<>();

    /** A step, once fewer than the most are under way; its caller leaves it. */
    Step begin() {
        try {
            assertTrue(places.tryAcquire(20, TimeUnit.SECONDS), () -> "no step has ended for 20 s: " + this);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return new Step();
    }

    boolean isQuiet() {
        return promised.get() == kept.get() && places.availablePermits() == STEPS_AT_ONCE;
    }

    List<String> defects() {
        return List.copyOf(defects);
    }

    @Override
    public String toString() {
        return "promised " + promised + ", kept " + kept + ", steps under way "
                + (STEPS_AT_ONCE - places.availablePermits()) + ", defects " + defects;
    }

    /** Some operations that belong together; over when all were told and its caller has left it. */
    final class Step {
        private final AtomicInteger open = new AtomicInteger(1);
        private final Queue<Runnable> atEnd = new ConcurrentLinkedQueue<>();

        /** What is to be closed in the end. */
        void atEnd(Runnable action) {
            atEnd.add(action);
        }

        void leave() {
            if (open.decrementAndGet() == 0) {
                atEnd.forEach(Runnable::run);
                places.release();
            }
        }

        void defect(String what) {
            defects.add(what);
        }

        void expect(Operation done, boolean holds) {
            if (!holds) {
                defect("unexpected: " + done.request.kind + ", result=" + done.result() + ", failure="
                        + done.failure());
            }
        }

        /** Something that has to happen once. */
        Promise promise() {
            open.incrementAndGet();
            promised.incrementAndGet();
            return new Promise(this);
        }

        /** An operation to be started once, right away or by a completion of this step. */
        Operation operation(Consumer<Operation> then) {
            Promise told = promise();
            return Operation.of(done -> {
                then.accept(done);
                told.keep();
            });
        }

        /** An operation that its completion may start again. */
        Repeated repeated(BiConsumer<Operation, Repeated> then) {
            return new Repeated(this, then);
        }
    }

    final class Promise {
        private final Step step;
        private final AtomicBoolean isKept = new AtomicBoolean();

        private Promise(Step step) {
            this.step = step;
        }

        void keep() {
            if (isKept.getAndSet(true)) {
                step.defect("told twice");
            } else {
                kept.incrementAndGet();
                step.leave();
            }
        }
    }

    static final class Repeated {
        private final Step step;
        private final BiConsumer<Operation, Repeated> then;
        private final Operation operation = Operation.of(this::completed);
        private volatile @Nullable Promise told;

        private Repeated(Step step, BiConsumer<Operation, Repeated> then) {
            this.step = step;
            this.then = then;
        }

        Operation start() {
            told = step.promise();
            return operation;
        }

        private void completed(Operation done) {
            Promise mine = Objects.requireNonNull(told, "told without a start");
            then.accept(done, this);
            mine.keep();
        }
    }
}
