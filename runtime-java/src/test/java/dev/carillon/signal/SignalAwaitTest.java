package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Waiting for signals. */
@ParameterizedClass
@EnumSource(SignalCase.Setting.class)
final class SignalAwaitTest extends SignalCase {
    SignalAwaitTest(Setting setting) {
        super(setting);
    }

    // r[verify signal.deliver]
    @Test
    void whoWaitsGetsTheSignal() {
        SignalService service = attach(started(), URG);
        CompletableFuture<SignalInfo> wait = service.await(URG);
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(wait).signal());
        assertEquals(1, service.stats().delivered());
    }

    // r[verify signal.pending-first]
    @Test
    void aSignalThatCameBeforeIsKept() {
        SignalService service = attach(started(), URG);
        sendAndAwaitArrival(service, URG);
        assertEquals(1, service.stats().pending());
        assertEquals(URG, get(service.await(URG)).signal());
        assertEquals(0, service.stats().pending());
    }

    // r[verify signal.pending-first]
    @Test
    void onTheLoopAPendingSignalIsThereAtOnce() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        sendAndAwaitArrival(service, URG);
        assertTrue(on(loop, () -> service.await(URG).isDone()));
    }

    // r[verify signal.fifo] r[verify signal.thread]
    @Test
    void waitersAreResumedInTheirOrderOnTheLoop() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        List<String> order = new ArrayList<>();
        CompletableFuture<?> first = service.await(URG).thenAccept(info -> order.add("first " + loop.inLoop()));
        CompletableFuture<?> second = service.await(URG).thenAccept(info -> order.add("second " + loop.inLoop()));
        awaitWaiting(service, 2);
        send(URG);
        get(first.thenApply(done -> true));
        assertFalse(second.isDone(), "one record resumes exactly one");
        send(URG);
        get(second.thenApply(done -> true));
        assertEquals(List.of("first true", "second true"), order);
    }

    // r[verify signal.cancel]
    @Test
    void aCancelledWaitLeavesItsSignalToTheNext() {
        SignalService service = attach(started(), URG);
        CompletableFuture<SignalInfo> first = service.await(URG);
        CompletableFuture<SignalInfo> second = service.await(URG);
        awaitWaiting(service, 2);
        assertTrue(first.cancel(false));
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(second).signal());
        assertTrue(first.isCancelled());
    }

    // r[verify signal.cancel]
    @Test
    void aCancelledWaitLeavesItsSignalPending() {
        SignalService service = attach(started(), URG);
        CompletableFuture<SignalInfo> wait = service.await(URG);
        awaitWaiting(service, 1);
        wait.cancel(false);
        awaitWaiting(service, 0);
        sendAndAwaitArrival(service, URG);
        assertEquals(1, service.stats().pending());
    }

    // r[verify signal.cancel]
    @Test
    void whatWasAssignedToACancelledWaitTakesItsOldPlace() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        CompletableFuture<SignalInfo> first = service.await(URG);
        awaitWaiting(service, 1);
        List<Long> values = on(loop, () -> {
            service.inject(numbered(URG, 1));
            service.inject(numbered(URG, 2));
            // The first record is assigned, and the step that would resume its waiter is still in the queue.
            first.cancel(false);
            return new ArrayList<Long>();
        });
        Deadline.after(LIMIT).await("both are pending", () -> service.stats().pending() == 2);
        values.add(get(service.await(URG)).value());
        values.add(get(service.await(URG)).value());
        assertEquals(List.of(1L, 2L), values);
        assertEquals(2, service.stats().delivered());
    }

    // r[verify signal.stats]
    @Test
    void aRecordThatIsGivenBackCountsAsDeliveredWhenSomebodyKeepsIt() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        service.start(new TestWaiter(SignalSet.of(URG), true));
        service.start(new SignalWaiter(URG) {
            @Override
            protected void onSignal(SignalInfo info) {
                throw new IllegalStateException("thrown by a waiter");
            }

            @Override
            protected void onFailure(RuntimeException cause) {}
        });
        awaitWaiting(service, 2);
        send(URG);
        Deadline.after(LIMIT).await("it is pending", () -> service.stats().pending() == 1);
        assertEquals(0, on(loop, () -> service.stats().delivered()));
        get(service.await(URG));
        assertEquals(1, on(loop, () -> service.stats().delivered()));
        errors.clear();
    }

    // r[verify signal.cancel]
    @Test
    void aFutureThatSomebodyElseCompletedGivesItsRecordToTheNext() {
        SignalService service = attach(started(), URG);
        CompletableFuture<SignalInfo> taken = service.await(URG);
        CompletableFuture<SignalInfo> timedOut = service.await(URG).orTimeout(1, TimeUnit.MILLISECONDS);
        CompletableFuture<SignalInfo> next = service.await(URG);
        taken.complete(numbered(WINCH, 0));
        assertTrue(failureOf(timedOut) instanceof TimeoutException);
        awaitWaiting(service, 1);
        send(URG);
        assertEquals(URG, get(next).signal());
        assertEquals(WINCH, get(taken).signal());
    }

    @Test
    void aWaiterThatCannotUseItsRecordGivesItBack() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        TestWaiter refusing = new TestWaiter(SignalSet.of(URG), true);
        TestWaiter next = new TestWaiter(SignalSet.of(URG));
        service.start(refusing);
        service.start(next);
        awaitWaiting(service, 2);
        send(URG);
        Deadline.after(LIMIT).await("the next has it", () -> on(loop, next.got::size) == 1);
        assertEquals(List.of(), refusing.got);
    }

    // r[verify signal.any]
    @Test
    void anyTakesTheOldestOfAll() {
        SignalService service = attach(started(), URG, WINCH, CONT);
        sendAndAwaitArrival(service, WINCH);
        sendAndAwaitArrival(service, URG);
        SignalSet both = SignalSet.of(URG, WINCH);
        assertEquals(WINCH, get(service.awaitAny(both)).signal());
        assertEquals(URG, get(service.awaitAny(both)).signal());
        CompletableFuture<SignalInfo> any = service.awaitAny(both);
        CompletableFuture<SignalInfo> one = service.await(WINCH);
        awaitWaiting(service, 2);
        send(WINCH);
        assertEquals(WINCH, get(any).signal());
        assertFalse(one.isDone());
        sendAndAwaitArrival(service, URG);
        assertEquals(1, service.stats().pending(), "nothing of the first wait is left in the other queue");
        assertThrows(IllegalArgumentException.class, () -> service.awaitAny(SignalSet.empty()));
    }

    // r[verify signal.timeout]
    @Test
    void aTimedWaitEndsWithARecordOrWithNothing() {
        SignalService service = attach(started(), URG);
        assertEquals(Optional.empty(), get(service.await(URG, Duration.ofMillis(5))));
        assertEquals(Optional.empty(), get(service.await(URG, Duration.ZERO)));
        assertEquals(Optional.empty(), get(service.await(URG, Duration.ofDays(-1))));
        awaitWaiting(service, 0);
        CompletableFuture<Optional<SignalInfo>> forEver = service.await(URG, Duration.ofSeconds(Long.MAX_VALUE));
        CompletableFuture<Optional<SignalInfo>> hour = service.await(URG, Duration.ofHours(1));
        awaitWaiting(service, 2);
        send(URG);
        assertTrue(get(forEver).isPresent());
        send(URG);
        assertTrue(get(hour).isPresent());
        sendAndAwaitArrival(service, URG);
        assertTrue(get(service.await(URG, Duration.ZERO)).isPresent());
        Deadline.after(LIMIT)
                .await(
                        "no timer is left",
                        () -> on(service.loop(), () -> service.loop().stats().pendingTimers()) == 0);
    }

    // r[verify signal.timeout]
    @Test
    void noRecordIsLostToATimeout() {
        SignalService service = attach(started(), URG);
        int got = 0;
        for (int i = 0; i < 300; i++) {
            CompletableFuture<Optional<SignalInfo>> wait = service.await(URG, Duration.ofNanos(i * 1_000L));
            service.inject(numbered(URG, i));
            got += get(wait).isPresent() ? 1 : 0;
        }
        int expected = 300 - got;
        Deadline.after(LIMIT).await("the rest is pending or dropped", () -> {
            SignalStats stats = service.stats();
            return stats.pending() + stats.dropped() == expected;
        });
    }

    @Test
    void poppingTakesThePendingOneAndBelongsToTheLoop() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        assertNull(
                on(loop, () -> Optional.ofNullable(service.tryPopPending(URG))).orElse(null));
        sendAndAwaitArrival(service, URG);
        assertTrue(on(loop, () -> service.tryPopPending(URG) != null));
        assertThrows(IllegalStateException.class, () -> service.tryPopPending(URG));
    }

    // r[verify signal.pending-bound]
    @Test
    void whatFindsNoRoomIsCounted() {
        SignalService service = attach(started(), options().pendingStandard(3), URG);
        for (int i = 0; i < 5; i++) {
            service.inject(numbered(URG, i));
        }
        Deadline.after(LIMIT).await("two are dropped", () -> service.stats().dropped() == 2);
        assertEquals(0, get(service.await(URG)).value());
    }

    @Test
    void aLoopIsNotBlockedByAWaitOnItsThread() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        IllegalStateException refused = on(loop, () -> {
            CompletableFuture<SignalInfo> wait = service.await(URG);
            return assertThrows(
                    IllegalStateException.class,
                    () -> wait.thenApply(info -> info).join());
        });
        assertTrue(String.valueOf(refused.getMessage()).contains("whenComplete"), refused.toString());
    }

    @Test
    void aCallbackThatThrowsHarmsNobodyElse() throws Exception {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        CountDownLatch called = new CountDownLatch(1);
        service.start(new SignalWaiter(URG) {
            @Override
            protected void onSignal(SignalInfo info) {
                called.countDown();
                throw new IllegalStateException("thrown by the waiter");
            }

            @Override
            protected void onFailure(RuntimeException cause) {}
        });
        awaitWaiting(service, 1);
        send(URG);
        assertTrue(called.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        send(URG);
        // Both: what the waiter has thrown at, and the second one, which would come to the next test otherwise.
        assertEquals(URG, get(service.await(URG)).signal());
        assertEquals(URG, get(service.await(URG)).signal());
        assertEquals("thrown by the waiter", errors.element().getMessage());
    }
}
