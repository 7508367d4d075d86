package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waits that attach their signals by themselves. */
// r[verify signal.implicit]
final class SignalImplicitTest extends SignalCase {
    SignalImplicitTest() {
        super(CaptureKind.AUTO);
    }

    private long handler(Signal signal) {
        return sys().signals().action(signal.number()).handler();
    }

    /** Keeps a loop busy until it is closed. */
    private static final class Busy implements AutoCloseable {
        private final CountDownLatch isBusy = new CountDownLatch(1);
        private final CountDownLatch isOver = new CountDownLatch(1);

        void begin(EventLoop loop) throws InterruptedException {
            loop.execute(() -> {
                isBusy.countDown();
                while (isOver.getCount() > 0) {
                    Thread.onSpinWait();
                }
            });
            assertTrue(isBusy.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        }

        @Override
        public void close() {
            isOver.countDown();
        }
    }

    @Test
    void aWaitDoesNotWaitForABusyLoop() throws Exception {
        EventLoop loop = started();
        SignalService service = SignalService.on(loop);
        CompletableFuture<SignalInfo> wait;
        CompletableFuture<Optional<SignalInfo>> timed;
        CompletableFuture<SignalSet> prepared;
        try (Busy busy = new Busy()) {
            busy.begin(loop);
            // In this order: were these to wait for the loop, nothing would ever let it go on.
            wait = service.await(URG);
            timed = service.await(WINCH, Duration.ofMillis(1));
            prepared = service.prepare(SignalSet.of(CONT));
            assertFalse(prepared.isDone());
            assertFalse(wait.isDone());
        }
        assertEquals(Optional.empty(), get(timed));
        assertEquals(SignalSet.of(CONT), get(prepared));
        assertEquals(SignalSet.of(URG, WINCH, CONT), service.attached());
        send(URG);
        assertEquals(URG, get(wait).signal());
    }

    @Test
    void aWaitThatIsCancelledBeforeTheLoopComesToItAttachesNothing() throws Exception {
        EventLoop loop = started();
        long before = handler(URG);
        SignalService service = SignalService.on(loop);
        try (Busy busy = new Busy()) {
            busy.begin(loop);
            assertTrue(service.await(URG).cancel(false));
            assertTrue(service.prepare(SignalSet.of(URG)).cancel(false));
            assertThrows(CancellationException.class, () -> {
                CompletableFuture<SignalInfo> wait = service.await(URG);
                wait.completeExceptionally(new CancellationException("by somebody else"));
                wait.join();
            });
        }
        assertEquals(true, on(loop, () -> true));
        assertEquals(before, handler(URG));
        assertEquals(SignalSet.empty(), service.attached());
        attach(started(), URG);
    }

    @Test
    void twoLoopsMayAwaitOnEachOther() {
        EventLoop one = started();
        EventLoop other = started();
        CyclicBarrier both = new CyclicBarrier(2);
        CompletableFuture<CompletableFuture<SignalInfo>> first = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<SignalInfo>> second = new CompletableFuture<>();
        one.execute(() -> awaitOn(other, URG, both, first));
        other.execute(() -> awaitOn(one, WINCH, both, second));
        CompletableFuture<SignalInfo> urg = get(first);
        CompletableFuture<SignalInfo> winch = get(second);
        awaitWaiting(SignalService.on(one), 1);
        awaitWaiting(SignalService.on(other), 1);
        send(URG);
        send(WINCH);
        assertEquals(URG, get(urg).signal());
        assertEquals(WINCH, get(winch).signal());
    }

    private static void awaitOn(
            EventLoop loop,
            Signal signal,
            CyclicBarrier both,
            CompletableFuture<CompletableFuture<SignalInfo>> result) {
        try {
            both.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
            CompletableFuture<SignalInfo> wait = SignalService.on(loop).await(signal);
            // Each has begun its wait before the other loop could come to anything.
            both.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
            result.complete(wait);
        } catch (Exception failure) {
            result.completeExceptionally(failure);
        }
    }

    @Test
    void whatIsPreparedIsOursWhenTheFutureIsDone() {
        SignalService service = SignalService.on(started());
        assertEquals(SignalSet.of(URG), get(service.prepare(SignalSet.of(URG))));
        assertEquals(SignalSet.of(URG), get(service.prepare(SignalSet.of(URG))));
        sendAndAwaitArrival(service, URG);
        assertEquals(URG, get(service.await(URG)).signal());
        SignalService explicit = attach(started(), WINCH);
        assertEquals(SignalSet.of(WINCH), get(explicit.prepare(SignalSet.of(WINCH))));
        assertThrows(IllegalStateException.class, () -> explicit.prepare(SignalSet.of(CONT)));
        assertThrows(IllegalStateException.class, () -> service.prepare(SignalSet.of(WINCH)));
        assertThrows(IllegalArgumentException.class, () -> service.prepare(SignalSet.of(Signal.SIGKILL)));
    }

    @Test
    void whatCannotBeAttachedFailsTheWaitAndIsNobodysAfterwards() {
        EventLoop loop = started();
        SignalService service = new SignalService(
                loop, SignalOptions.builder().capture(CaptureKind.JVM).build(), this::sys, true);
        assertInstanceOf(UnsupportedOperationException.class, failureOf(service.await(Signal.SIGUSR2)));
        assertInstanceOf(UnsupportedOperationException.class, failureOf(service.prepare(SignalSet.of(Signal.SIGUSR2))));
        assertNull(ServiceCore.OWNERS.of(Signal.SIGUSR2));
        assertThrows(IllegalArgumentException.class, () -> service.await(Signal.SIGKILL));
    }

    // r[verify signal.attach]
    @Test
    void theLoopsExplicitServiceIsFound() {
        EventLoop loop = started();
        SignalService service = SignalService.on(loop);
        SignalService explicit = attach(loop, URG);
        assertEquals(SignalSet.of(URG), SignalService.attachedOn(loop));
        CompletableFuture<SignalInfo> wait = service.await(URG);
        awaitWaiting(explicit, 1);
        send(URG);
        assertEquals(URG, get(wait).signal());
        sendAndAwaitArrival(explicit, URG);
        assertTrue(on(loop, () -> service.tryPopPending(URG) != null));
        CompletableFuture<SignalInfo> closed = service.await(URG);
        explicit.close();
        assertInstanceOf(ClosedException.class, failureOf(closed));
        CompletableFuture<SignalInfo> afterwards = service.await(URG);
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(afterwards).signal());
    }

    @Test
    void signalsOfTwoServicesAreRefusedWithAdvice() {
        EventLoop loop = started();
        SignalService service = SignalService.on(loop);
        attach(loop, URG);
        attach(loop, CONT);
        for (SignalSet mixed : new SignalSet[] {SignalSet.of(URG, CONT), SignalSet.of(URG, WINCH)}) {
            IllegalStateException refused = assertThrows(IllegalStateException.class, () -> service.awaitAny(mixed));
            assertTrue(String.valueOf(refused.getMessage()).contains("wait for each where it belongs"));
        }
        attach(started(), WINCH);
        IllegalStateException elsewhere = assertThrows(IllegalStateException.class, () -> service.await(WINCH));
        assertTrue(String.valueOf(elsewhere.getMessage()).contains("SIGWINCH belongs to SignalService["));
    }

    @Test
    void aWaitThatMeetsAReleaseAttachesAgain() throws Exception {
        EventLoop loop = started();
        SignalService service = SignalService.on(loop);
        get(service.prepare(SignalSet.of(URG)));
        CompletableFuture<SignalInfo> wait;
        try (Busy busy = new Busy()) {
            busy.begin(loop);
            loop.execute(() -> service.release(URG));
            wait = service.await(URG);
        }
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(wait).signal());
        Deadline.after(LIMIT).await("nothing failed", errors::isEmpty);
    }
}
