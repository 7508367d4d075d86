package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What others ask for while the lifecycle is closed: it is done, or they are told that it is not. */
// r[verify life.close]
final class LifecycleCloseRaceTest extends LifecycleCase {
    private static final int ROUNDS = 200;
    private static final int SPINS = 40;

    @Test
    void anExitBesideACloseLeavesOrThrows() throws Exception {
        inEachRound(fresh -> fresh.exit(7), "exit 7", "exit()");
    }

    @Test
    void aSignalThatIsDispatchedBesideACloseIsHandledOrRefused() throws Exception {
        inEachRound(fresh -> fresh.dispatch(Signal.SIGTERM, "test"), "exit 143", "dispatch()");
    }

    private void inEachRound(Consumer<Lifecycle> operation, String effect, String name) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Lifecycle fresh = builder().build().start();
            Throwable thrown = besideAClose(fresh, round % 50, () -> operation.accept(fresh));
            if (thrown == null) {
                assertEquals(effect, exits.calls.poll(60, TimeUnit.SECONDS), "round " + round);
            } else {
                assertRefused(thrown, name);
                assertTrue(exits.calls.isEmpty(), () -> "both: " + exits.calls);
            }
            Deadline.after(LONG).await("the lifecycle is closed", () -> Lifecycle.active() == null);
        }
    }

    @Test
    void aSignalThatATestInjectsBesideACloseHasAnOutcomeOrIsRefused() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Lifecycle fresh = builder().build().start();
            CompletableFuture<SignalOutcome> outcome = new CompletableFuture<>();
            Throwable thrown = besideAClose(
                    fresh, round % 50, () -> outcome.complete(Futures.get(fresh.injectForTest(Signal.SIGTERM))));
            if (thrown == null) {
                assertEquals(OptionalInt.of(143), outcome.join().exitCode(), "round " + round);
            } else {
                assertRefused(thrown, "injectForTest()");
            }
            Deadline.after(LONG).await("the lifecycle is closed", () -> Lifecycle.active() == null);
        }
    }

    private static void assertRefused(Throwable thrown, String name) {
        assertEquals(IllegalStateException.class, thrown.getClass(), thrown::toString);
        assertEquals(name + " needs an active lifecycle, and this one was closed", thrown.getMessage());
    }

    /** What the operation has thrown, if it has. */
    private static @Nullable Throwable besideAClose(Lifecycle closed, int spins, Runnable operation) throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
            meet(both);
            operation.run();
        });
        meet(both);
        for (int i = 0; i < spins * SPINS; i++) {
            Thread.onSpinWait();
        }
        closed.close();
        try {
            other.get(Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (ExecutionException failed) {
            return failed.getCause();
        }
    }

    private static void meet(CyclicBarrier both) {
        try {
            both.await(60, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new CompletionException(broken);
        }
    }

    @Test
    void whoComesAfterACloseIsToldSo() {
        lifecycle.start();
        lifecycle.close();
        assertNull(Lifecycle.active());
        assertRefused(assertThrows(IllegalStateException.class, () -> lifecycle.exit(7)), "exit()");
        assertRefused(assertThrows(IllegalStateException.class, lifecycle::ready), "ready()");
        assertRefused(assertThrows(IllegalStateException.class, () -> lifecycle.status("late")), "status()");
        assertRefused(assertThrows(IllegalStateException.class, lifecycle::displaced), "displaced()");
        assertThrows(IllegalStateException.class, () -> lifecycle.handle(Signal.SIGUSR1, info -> {}));
        assertThrows(IllegalStateException.class, () -> lifecycle.onReload("late", () -> {}));
        assertThrows(IllegalStateException.class, () -> lifecycle.onShutdown("late", () -> {}));
        assertThrows(IllegalStateException.class, () -> lifecycle.onDrain("late", () -> {}));
    }
}
