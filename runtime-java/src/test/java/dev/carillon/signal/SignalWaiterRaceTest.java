package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Cancellation from other threads against a loop that notifies and resumes; injected signals, so no native part. */
class SignalWaiterRaceTest {
    private static final Signal SIGNAL = Signal.SIGWINCH;
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 1_000_000 : 50_000;

    // r[verify signal.cancel] r[verify signal.state]
    @Test
    void whateverIsCancelledWhenEachRecordIsDeliveredOnceOrKept(@Seeded SplittableRandom random) throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(
                        loop,
                        SignalSet.of(SIGNAL),
                        SignalOptions.builder().pendingStandard(ROUNDS).build())) {
            AtomicInteger delivered = new AtomicInteger();
            List<Counting> waiters = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                waiters.add(new Counting(delivered, random.nextInt(8) == 0));
            }
            SplittableRandom cancels = random.split();
            Thread canceller = new Thread(() -> {
                for (Counting waiter : waiters) {
                    if (cancels.nextBoolean()) {
                        waiter.cancel();
                    }
                }
            });
            Thread sender = new Thread(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    service.inject(new SignalInfo(SIGNAL, -1, 1, 1, 0, 0, i));
                }
            });
            sender.start();
            canceller.start();
            waiters.forEach(service::start);
            sender.join(60_000);
            canceller.join(60_000);
            CompletableFuture<Boolean> allHaveEntered = new CompletableFuture<>();
            loop.execute(() -> allHaveEntered.complete(true));
            allHaveEntered.get(60, TimeUnit.SECONDS);
            Deadline.after(Duration.ofSeconds(60))
                    .await(
                            "every record is delivered or pending",
                            () -> delivered.get() + service.stats().pending() == ROUNDS);
            int cancelled = (int)
                    waiters.stream().filter(waiter -> waiter.calls.get() == 0).count();
            assertEquals(
                    delivered.get(),
                    waiters.stream()
                            .filter(waiter -> waiter.calls.get() == 1 && !waiter.refuses)
                            .count());
            assertEquals(
                    ROUNDS - cancelled,
                    waiters.stream().filter(w -> w.calls.get() == 1).count());
        }
    }

    @Test
    void aWaiterWaitsOnce() {
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(SIGNAL))) {
            TestWaiter waiter = new TestWaiter(SignalSet.of(SIGNAL));
            service.start(waiter);
            assertThrows(IllegalStateException.class, () -> service.start(waiter));
            assertThrows(IllegalStateException.class, waiter::giveBack);
        }
    }

    private static final class Counting extends SignalWaiter {
        private final AtomicInteger delivered;
        private final boolean refuses;
        private final AtomicInteger calls = new AtomicInteger();

        Counting(AtomicInteger delivered, boolean refuses) {
            super(SIGNAL);
            this.delivered = delivered;
            this.refuses = refuses;
        }

        @Override
        protected void onSignal(SignalInfo info) {
            calls.incrementAndGet();
            if (refuses) {
                giveBack();
            } else {
                delivered.incrementAndGet();
            }
        }

        @Override
        protected void onFailure(RuntimeException cause) {}
    }
}
