package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.Deadline;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Receivers that fail to take what is told to them. */
// r[verify shm.doorbell.throw]
final class ThrowingReceiverTest {
    private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                    .errorHandler((on, error) -> errors.add(error))
                    .build())
            .start();
    private final DoorbellPair pair = Doorbell.pair();
    private final AsyncDoorbell guest = pair.guest().onLoop(loop);

    @AfterEach
    void closeAll() {
        pair.close();
        loop.close();
    }

    /** Throws what it is given, checked exceptions too, which a receiver that is not written in Java can throw. */
    private static final class Throwing implements EventReceiver {
        final CompletableFuture<RuntimeException> refusal = new CompletableFuture<>();
        private final Throwable thrown;

        Throwing(Throwable thrown) {
            this.thrown = thrown;
        }

        @Override
        public boolean tryReceive(DoorbellEvent event) {
            return this.<RuntimeException>sneak();
        }

        @SuppressWarnings("unchecked")
        private <E extends Throwable> boolean sneak() throws E {
            throw (E) thrown;
        }

        @Override
        public void refused(RuntimeException why) {
            refusal.complete(why);
        }
    }

    @Test
    void itsRingGoesToTheNextAndItsWaitHasFailed() {
        IllegalStateException planted = new IllegalStateException("planted");
        for (Throwable thrown : List.of(planted, new NoSuchMethodError("planted"), new Exception("planted"))) {
            Throwing receiver = new Throwing(thrown);
            guest.awaitEvent(receiver);
            pair.host().ring();
            RuntimeException refusal = get(receiver.refusal);
            assertSame(thrown, thrown == planted ? refusal : refusal.getCause());
            assertEquals(RUNG, get(guest.awaitEventAsync()), thrown.toString());
            assertEquals(List.of(thrown), List.copyOf(errors));
            errors.clear();
        }
    }

    @Test
    void itsRingGoesToWhoWaitsAlreadyInItsPlace() {
        CompletableFuture<DoorbellEvent> next = new CompletableFuture<>();
        guest.awaitEvent(new EventReceiver() {
            @Override
            public boolean tryReceive(DoorbellEvent event) {
                var unused = guest.awaitEventAsync().thenAccept(next::complete);
                throw new IllegalStateException("planted");
            }

            @Override
            public void refused(RuntimeException why) {}
        });
        pair.host().ring();
        assertEquals(RUNG, get(next));
    }

    @Test
    void oneThatThrowsAndWaitsAgainEachTimeLeavesTheLoopToOthers() {
        AtomicInteger calls = new AtomicInteger();
        guest.awaitEvent(new EventReceiver() {
            @Override
            public boolean tryReceive(DoorbellEvent event) {
                calls.incrementAndGet();
                throw new IllegalStateException("planted");
            }

            @Override
            public void refused(RuntimeException why) {
                guest.awaitEvent(this);
            }
        });
        pair.host().ring();
        Deadline.after(LIMIT).await("it is called again and again", () -> calls.get() > 100);
        CompletableFuture<Boolean> other = new CompletableFuture<>();
        loop.execute(() -> other.complete(true));
        assertTrue(get(other));
        guest.close();
    }

    @Test
    void aDeathIsToldToTheNextToo() {
        Throwing receiver = new Throwing(new IllegalStateException("planted"));
        guest.awaitEvent(receiver);
        pair.host().close();
        get(receiver.refusal);
        assertEquals(PEER_GONE, get(guest.awaitEventAsync()));
    }
}
