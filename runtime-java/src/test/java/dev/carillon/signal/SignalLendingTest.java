package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Futures;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A service that lends its signals, and services of other loops that wait for them. */
// r[verify signal.lend]
final class SignalLendingTest {
    private static final Signal USR1 = Signal.SIGUSR1;
    private static final SignalSet ONE = SignalSet.of(USR1);
    private static final SignalOptions LENDS =
            SignalOptions.builder().lends(true).build();

    private final EventLoop ownersLoop = EventLoop.open().start();
    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void close() {
        ownersLoop.close();
        loop.close();
    }

    private static void send() {
        Signals.send((int) ProcessHandle.current().pid(), USR1);
    }

    /** What was posted to the loop before is done. */
    private static void turn(EventLoop loop) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        loop.execute(() -> done.complete(true));
        Futures.get(done);
    }

    private static BlockingQueue<SignalInfo> seenBy(SignalService service) {
        BlockingQueue<SignalInfo> seen = new LinkedBlockingQueue<>();
        service.start(new SignalWaiter(USR1) {
            @Override
            protected void onSignal(SignalInfo info) {
                seen.add(info);
            }

            @Override
            protected void onFailure(RuntimeException cause) {
                // The test ends.
                seen.clear();
            }
        });
        return seen;
    }

    private static SignalInfo next(BlockingQueue<SignalInfo> seen) throws InterruptedException {
        SignalInfo info = seen.poll(60, TimeUnit.SECONDS);
        assertNotNull(info, "no signal came in a minute");
        return info;
    }

    @Test
    void theOwnerAndTheOldestWaitGetASignal() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            BlockingQueue<SignalInfo> seen = seenBy(owner);
            CompletableFuture<SignalInfo> first = SignalService.on(loop).await(USR1);
            CompletableFuture<SignalInfo> second = SignalService.on(loop).await(USR1);
            turn(loop);
            send();
            assertEquals(next(seen), Futures.get(first));
            turn(loop);
            assertFalse(second.isDone());
            second.cancel(false);
        }
    }

    @Test
    void aCopyThatNobodyWaitsForIsNotKept() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            SignalService borrower = SignalService.on(loop);
            borrower.await(USR1).cancel(false);
            turn(loop);
            BlockingQueue<SignalInfo> seen = seenBy(owner);
            send();
            next(seen);
            turn(ownersLoop);
            turn(loop);
            assertEquals(0, borrower.stats().pending());
            CompletableFuture<SignalInfo> late = borrower.await(USR1);
            turn(loop);
            assertFalse(late.isDone());
            late.cancel(false);
        }
    }

    @Test
    void copiesAreKeptForWhoListensBetweenTwoWaitsAndForNobodyElse() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            SignalService borrower = SignalService.on(loop);
            try (SignalClaim claim = borrower.claim(ONE)) {
                Futures.get(borrower.prepare(ONE));
                for (int i = 0; i < 20; i++) {
                    BlockingQueue<SignalInfo> seen = seenBy(owner);
                    send();
                    next(seen);
                }
                turn(ownersLoop);
                turn(loop);
                assertEquals(20, borrower.stats().pending(), claim::toString);
                for (int i = 0; i < 19; i++) {
                    assertEquals(USR1, Futures.get(borrower.await(USR1)).signal());
                }
            }
            turn(loop);
            assertEquals(0, borrower.stats().pending());
        }
    }

    /** The owner reads no more of its own when it has no room, and does not ask who borrows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofCopiesNoMoreAreKeptThanThereIsRoomForAlsoOfARealtimeSignal(boolean isSubscription) {
        Signal realtime = Signal.realtime(3);
        SignalSet wanted = SignalSet.of(realtime);
        SignalService borrower = new SignalService(
                loop, SignalOptions.builder().pendingRealtime(4).build(), dev.carillon.sys.call.Sys::get, true);
        try (SignalService owner = SignalService.attach(ownersLoop, wanted, LENDS);
                AutoCloseable listens = isSubscription ? borrower.subscribe(wanted) : borrower.claim(wanted)) {
            Futures.get(borrower.prepare(wanted));
            for (int i = 0; i < 10; i++) {
                owner.inject(SignalInfo.of(realtime));
            }
            turn(ownersLoop);
            turn(loop);
            assertEquals(6, borrower.stats().dropped(), listens::toString);
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void whoListensBetweenTwoWaitsHasTheSignalWhenTheOwnerEnds() {
        SignalService borrower = SignalService.on(loop);
        try (SignalClaim claim = borrower.claim(ONE)) {
            try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
                Futures.get(borrower.prepare(ONE));
                assertEquals(ONE, owner.attached(), claim::toString);
            }
            turn(loop);
            assertEquals(ONE, borrower.attached());
            send();
            assertEquals(USR1, Futures.get(borrower.await(USR1)).signal());
        }
        borrower.release(USR1);
    }

    @Test
    void aCopyThatACancelledWaitLeavesOverGoesToTheNext() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            assertEquals(ONE, owner.attached());
            SignalService borrower = SignalService.on(loop);
            CompletableFuture<SignalInfo> next = new CompletableFuture<>();
            borrower.start(new SignalWaiter(USR1) {
                @Override
                protected void onSignal(SignalInfo info) {
                    giveBack();
                }

                @Override
                protected void onFailure(RuntimeException cause) {
                    next.completeExceptionally(cause);
                }
            });
            CompletableFuture<SignalInfo> second = borrower.await(USR1);
            turn(loop);
            send();
            assertEquals(USR1, Futures.get(second).signal());
        }
    }

    @Test
    void subscriptionsSeeEachSignalToo() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS);
                SignalSubscription all = SignalService.on(loop).subscribe(ONE)) {
            turn(loop);
            BlockingQueue<SignalInfo> seen = seenBy(owner);
            send();
            next(seen);
            assertEquals(USR1, Futures.get(all.await()).signal());
        }
    }

    @Test
    void whenTheOwnerEndsTheWaitAttachesTheSignalForItself() throws InterruptedException {
        SignalService borrower = SignalService.on(loop);
        CompletableFuture<SignalInfo> wait;
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            wait = borrower.await(USR1);
            turn(loop);
            assertEquals(ONE, owner.attached());
            assertEquals(SignalSet.empty(), borrower.attached());
        }
        turn(loop);
        assertEquals(ONE, borrower.attached());
        send();
        assertEquals(USR1, Futures.get(wait).signal());
        borrower.release(USR1);
    }

    @Test
    void aLoopThatEndsBorrowsNoMore() throws InterruptedException {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            EventLoop shortLived = EventLoop.open().start();
            CompletableFuture<SignalInfo> wait = SignalService.on(shortLived).await(USR1);
            turn(shortLived);
            shortLived.close();
            assertTrue(Futures.failureOf(wait) instanceof ClosedException);
            BlockingQueue<SignalInfo> seen = seenBy(owner);
            send();
            assertEquals(USR1, next(seen).signal());
        }
    }

    @Test
    void anExplicitServiceCannotHaveWhatIsLent() {
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            IllegalStateException refused =
                    assertThrows(IllegalStateException.class, () -> SignalService.attach(loop, ONE));
            assertTrue(refused.toString().contains(owner.toString()), refused::toString);
        }
    }

    // r[verify signal.takeover]
    @ParameterizedTest
    @EnumSource(names = {"FORWARDER", "JVM"})
    void aLenderTakesOverWhatAWaitHasAttachedAndNoSignalIsLost(CaptureKind capture) throws InterruptedException {
        SignalService implicit = new SignalService(
                loop, SignalOptions.builder().capture(capture).build(), dev.carillon.sys.call.Sys::get, true);
        CompletableFuture<SignalInfo> wait = implicit.await(USR1);
        turn(loop);
        assertEquals(ONE, implicit.attached());
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            assertEquals(ONE, owner.attached());
            assertEquals(capture, owner.capture());
            assertEquals(SignalSet.empty(), implicit.attached());
            BlockingQueue<SignalInfo> seen = seenBy(owner);
            send();
            assertEquals(USR1, next(seen).signal());
            assertEquals(USR1, Futures.get(wait).signal());
        }
        turn(loop);
        // Nobody waits there now, so the signal does again what it did before us.
        assertEquals(SignalSet.empty(), implicit.attached());
    }

    @Test
    void whatWasPendingGoesWithTheSignal() throws InterruptedException {
        SignalService implicit = SignalService.on(loop);
        Futures.get(implicit.prepare(ONE));
        implicit.inject(SignalInfo.of(USR1));
        turn(loop);
        assertEquals(1, implicit.stats().pending());
        try (SignalService owner = SignalService.attach(ownersLoop, ONE, LENDS)) {
            assertEquals(USR1, next(seenBy(owner)).signal());
            assertEquals(0, implicit.stats().pending());
        }
    }

    @Test
    void aServiceThatDoesNotLendTakesNothingOver() {
        SignalService implicit = SignalService.on(loop);
        Futures.get(implicit.prepare(ONE));
        assertThrows(IllegalStateException.class, () -> SignalService.attach(ownersLoop, ONE));
        implicit.release(USR1);
    }
}
