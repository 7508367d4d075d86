package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
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
import org.junit.jupiter.api.Test;

/** Each subscription sees each signal. */
// r[verify signal.broadcast]
final class SignalSubscriptionTest extends SignalCase {
    private static final SignalSet URGENT = SignalSet.of(URG);

    SignalSubscriptionTest() {
        super(CaptureKind.AUTO);
    }

    private SignalSubscription subscribe(SignalService service, SignalSet signals) {
        SignalSubscription subscription = closeLater(service.subscribe(signals));
        assertEquals(true, on(service.loop(), () -> true));
        return subscription;
    }

    private static void inject(SignalService service, Signal signal, long value) {
        service.inject(numbered(signal, value));
    }

    private static List<Long> values(SignalSubscription subscription, int count) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(get(subscription.await()).value());
        }
        return values;
    }

    @Test
    void eachSubscriptionSeesEachSignalAndAWaiterGetsItToo() {
        SignalService service = attach(started(), URG);
        SignalSubscription one = subscribe(service, URGENT);
        SignalSubscription other = subscribe(service, URGENT);
        CompletableFuture<SignalInfo> early = one.await();
        CompletableFuture<SignalInfo> waiter = service.await(URG);
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(early).signal());
        assertEquals(URG, get(waiter).signal());
        inject(service, URG, 2);
        inject(service, URG, 3);
        assertEquals(URG, get(other.await()).signal());
        assertEquals(List.of(2L, 3L), values(other, 2));
        assertEquals(List.of(2L, 3L), values(one, 2));
        assertEquals(0, service.stats().pending(), "the service keeps nothing itself");
    }

    @Test
    void whoListensBetweenTwoWaitsGetsEachSignalTooAndLeavesNothingBehind() {
        SignalService service = attach(started(), URG);
        SignalSubscription one = subscribe(service, URGENT);
        try (SignalClaim claim = service.claim(URGENT)) {
            for (int value = 1; value <= 5; value++) {
                inject(service, URG, value);
            }
            SignalSubscription late = subscribe(service, URGENT);
            for (long value = 1; value <= 4; value++) {
                assertEquals(value, get(service.await(URG)).value(), claim::toString);
            }
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L), values(one, 5));
            assertFalse(late.await().isDone());
        }
        assertEquals(0, on(service.loop(), () -> service.stats().pending()));
    }

    @Test
    void whatWasKeptForAListenerThatEndsGoesToWhoSubscribedMeanwhile() {
        SignalService service = attach(started(), URG);
        SignalSubscription late;
        try (SignalClaim claim = service.claim(URGENT)) {
            inject(service, URG, 1);
            late = subscribe(service, URGENT);
            assertEquals(1, on(service.loop(), () -> service.stats().pending()), claim::toString);
        }
        assertEquals(List.of(1L), values(late, 1));
        assertEquals(0, on(service.loop(), () -> service.stats().pending()));
    }

    @Test
    void theFirstOneGetsWhatNobodyHasWaitedForInItsOrder() {
        SignalService service = attach(started(), URG, WINCH);
        inject(service, URG, 1);
        inject(service, WINCH, 2);
        inject(service, URG, 3);
        SignalSubscription first = subscribe(service, SignalSet.of(URG, WINCH));
        SignalSubscription second = subscribe(service, SignalSet.of(URG, WINCH));
        inject(service, URG, 4);
        assertEquals(List.of(1L, 2L, 3L, 4L), values(first, 4));
        assertEquals(List.of(4L), values(second, 1));
        assertTrue(get(second.await(Duration.ZERO)).isEmpty());
    }

    @Test
    void whatOnlyAClosedSubscriptionHadGoesToWhoeverWaitsOrIsKept() {
        SignalService service = attach(started(), URG);
        SignalSubscription closed = subscribe(service, URGENT);
        inject(service, URG, 1);
        inject(service, URG, 2);
        inject(service, URG, 3);
        assertEquals(List.of(1L), values(closed, 1));
        CompletableFuture<SignalInfo> waiting = service.await(URG);
        awaitWaiting(service, 1);
        CompletableFuture<SignalInfo> failing = closed.await();
        assertEquals(2, get(failing).value());
        CompletableFuture<SignalInfo> left = closed.await();
        assertEquals(3, get(left).value());
        CompletableFuture<SignalInfo> last = closed.await();
        closed.close();
        assertInstanceOf(ClosedException.class, failureOf(last));
        assertInstanceOf(ClosedException.class, failureOf(closed.await()));
        assertFalse(waiting.isDone());
        inject(service, URG, 4);
        assertEquals(4, get(waiting).value());
        SignalSubscription unread = subscribe(service, URGENT);
        inject(service, URG, 5);
        unread.fulfil();
        assertEquals(5, get(service.await(URG)).value());
    }

    @Test
    void whatAnotherSubscriptionHasIsNotGivenOutAgain() {
        SignalService service = attach(started(), URG);
        SignalSubscription one = subscribe(service, URGENT);
        SignalSubscription other = subscribe(service, URGENT);
        inject(service, URG, 1);
        inject(service, URG, 2);
        assertEquals(List.of(1L), values(one, 1));
        other.close();
        assertEquals(List.of(2L), values(one, 1));
        inject(service, URG, 3);
        assertEquals(List.of(3L), values(one, 1));
        one.close();
        assertEquals(true, on(service.loop(), () -> true));
        assertEquals(0, service.stats().pending());
    }

    @Test
    void eachHasItsOwnBoundAndWhatFindsNoRoomIsCounted() {
        SignalService service = attach(started(), options().pendingStandard(2), URG);
        SignalSubscription slow = subscribe(service, URGENT);
        SignalSubscription quick = subscribe(service, URGENT);
        for (int i = 1; i <= 3; i++) {
            inject(service, URG, i);
            assertEquals(List.of((long) i), values(quick, 1));
        }
        assertEquals(1, service.stats().dropped());
        assertEquals(List.of(1L, 2L), values(slow, 2));
    }

    @Test
    void itAttachesByItselfAndEndsWithItsServiceOrItsSignal() {
        EventLoop loop = started();
        SignalService service = SignalService.on(loop);
        SignalSubscription subscription = subscribe(service, SignalSet.of(URG, WINCH));
        send(WINCH);
        assertEquals(WINCH, get(subscription.await()).signal());
        CompletableFuture<SignalInfo> released = subscription.await();
        service.release(URG);
        assertInstanceOf(ClosedException.class, failureOf(released));
        send(WINCH);
        assertEquals(WINCH, get(subscription.await()).signal(), "the other signal is still there");
        CompletableFuture<SignalInfo> ended = subscription.await();
        loop.close();
        assertInstanceOf(ClosedException.class, failureOf(ended));
        subscription.close();
    }

    @Test
    void misuseIsRefused() {
        SignalService service = attach(started(), URG);
        assertThrows(IllegalArgumentException.class, () -> service.subscribe(SignalSet.empty()));
        assertThrows(IllegalStateException.class, () -> service.subscribe(SignalSet.of(WINCH)));
        SignalSubscription subscription = subscribe(service, URGENT);
        assertThrows(
                IllegalArgumentException.class, () -> subscription.start(new TestWaiter(SignalSet.of(URG, WINCH))));
    }

    @Test
    void whateverIsCancelledEachSeesEachOnce(@Seeded SplittableRandom random) {
        int count = 5_000;
        SignalService service = attach(started(), options().pendingStandard(count), URG);
        List<SignalSubscription> subscriptions =
                List.of(subscribe(service, URGENT), subscribe(service, URGENT), subscribe(service, URGENT));
        Thread sender = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                inject(service, URG, i);
            }
        });
        sender.start();
        for (SignalSubscription subscription : subscriptions) {
            for (long expected = 0; expected < count; expected++) {
                CompletableFuture<SignalInfo> wait = subscription.await();
                while (random.nextInt(3) == 0 && wait.cancel(false)) {
                    wait = subscription.await();
                }
                assertEquals(expected, get(wait).value());
            }
        }
        Deadline.after(LIMIT).await("all were sent", () -> !sender.isAlive());
        assertEquals(0, service.stats().dropped());
    }
}
