package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SignalQueuesTest {
    private static final Signal ONE = Signal.SIGUSR1;
    private static final Signal TWO = Signal.SIGHUP;
    private static final Signal REALTIME = Signal.realtime(3);

    private final SignalQueues queues = new SignalQueues(2, 3);

    private @Nullable SignalWaiter arrive(Signal signal, long value) {
        return queues.arrive(new SignalInfo(signal, -1, 1, 1, 0, 0, value), 0);
    }

    private static TestWaiter waiter(Signal... signals) {
        return new TestWaiter(SignalSet.of(signals));
    }

    private long pop(Signal signal) {
        SignalRecord record = queues.poll(signal);
        return record == null ? -1 : record.info().value();
    }

    // r[verify signal.fifo]
    @Test
    void whoBeganToWaitFirstGetsTheFirst() {
        TestWaiter first = waiter(ONE);
        TestWaiter second = waiter(ONE);
        assertFalse(queues.enter(first));
        assertFalse(queues.enter(second));
        assertEquals(2, queues.waiting());
        assertSame(first, arrive(ONE, 1));
        assertSame(second, arrive(ONE, 2));
        assertNull(arrive(ONE, 3));
        assertEquals(0, queues.waiting());
        assertEquals(1, queues.pending());
    }

    // r[verify signal.pending-bound]
    @Test
    void beyondTheBoundTheNewestStandardRecordIsDroppedAndCounted() {
        for (int i = 0; i < 5; i++) {
            assertNull(arrive(ONE, i));
        }
        assertEquals(3, queues.dropped());
        assertEquals(2, queues.pending());
        assertEquals(List.of(0L, 1L, -1L), List.of(pop(ONE), pop(ONE), pop(ONE)));
        assertEquals(5, queues.arrived());
    }

    // r[verify signal.pending-bound] r[verify signal.backpressure]
    @Test
    void realtimeRecordsAreNotDroppedAndWhoBringsThemIsToldOfRoom() {
        List<String> told = new ArrayList<>();
        assertEquals(3, queues.room(REALTIME, () -> told.add("unasked")));
        for (int i = 0; i < 5; i++) {
            assertNull(arrive(REALTIME, i));
        }
        assertEquals(0, queues.dropped());
        assertEquals(0, queues.room(REALTIME, () -> told.add("room")));
        for (int i = 0; i < 3; i++) {
            assertEquals(i, pop(REALTIME));
        }
        assertEquals(List.of(), told);
        pop(REALTIME);
        assertEquals(List.of("room"), told);
        pop(REALTIME);
        assertEquals(List.of("room"), told);
        assertEquals(0, queues.pending());
    }

    // r[verify signal.cancel]
    @Test
    void aRecordThatComesBackTakesItsOldPlaceBeyondTheBound() {
        TestWaiter[] waiters = {waiter(ONE), waiter(ONE), waiter(ONE)};
        List<SignalRecord> records = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            records.add(new SignalRecord(new SignalInfo(ONE, -1, 1, 1, 0, 0, i), queues.arrived(), 0));
            queues.enter(waiters[i]);
            arrive(ONE, i);
        }
        arrive(ONE, 3);
        arrive(ONE, 4);
        assertNull(queues.giveBack(records.get(2)));
        assertNull(queues.giveBack(records.get(0)));
        assertNull(queues.giveBack(records.get(1)));
        assertEquals(5, queues.pending());
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), List.of(pop(ONE), pop(ONE), pop(ONE), pop(ONE), pop(ONE)));
        TestWaiter next = waiter(ONE);
        queues.enter(next);
        assertSame(next, queues.giveBack(records.get(1)));
    }

    // r[verify signal.any]
    @Test
    void anyTakesTheOldestAndLeavesNoTrace() {
        arrive(TWO, 1);
        arrive(ONE, 2);
        assertTrue(queues.enter(waiter(ONE, TWO)));
        assertEquals(-1, pop(TWO));
        assertEquals(2, pop(ONE));
        TestWaiter any = waiter(ONE, TWO);
        TestWaiter later = waiter(ONE);
        queues.enter(any);
        queues.enter(later);
        assertSame(any, arrive(ONE, 3), "it keeps its place in each queue");
        assertSame(later, arrive(ONE, 4));
        assertNull(arrive(TWO, 5), "nothing of it is left in the other queue");
        assertThrows(IllegalArgumentException.class, () -> waiter());
    }

    @Test
    void clearingReturnsEachWaiterOnce() {
        TestWaiter any = waiter(ONE, TWO);
        TestWaiter other = waiter(REALTIME);
        queues.enter(any);
        queues.enter(other);
        assertEquals(List.of(any), queues.clear(SignalSet.of(ONE, TWO)));
        assertEquals(1, queues.waiting());
        arrive(ONE, 1);
        assertEquals(List.of(other), queues.clear(SignalSet.all()));
        assertEquals(0, queues.pending());
    }

    // r[verify signal.cancel]
    @Test
    void aCancelledWaiterIsPassedOver() {
        TestWaiter cancelled = waiter(ONE);
        TestWaiter next = waiter(ONE);
        queues.enter(cancelled);
        queues.enter(next);
        assertTrue(cancelled.cancel());
        assertFalse(cancelled.cancel());
        assertSame(next, arrive(ONE, 1));
        assertEquals(0, queues.waiting());
        assertFalse(queues.enter(cancelled));
    }

    /** Against lists that are searched from the front: whatever happens, both say the same. */
    // r[verify signal.fifo] r[verify signal.any]
    @Test
    void queuesDoWhatTheirModelDoes(@Seeded SplittableRandom random) {
        Signal[] signals = {ONE, TWO, REALTIME};
        SignalQueues tested = new SignalQueues(1_000_000, 1_000_000);
        List<TestWaiter> waiting = new ArrayList<>();
        List<Long> pending = new ArrayList<>();
        List<Signal> kinds = new ArrayList<>();
        for (int step = 0; step < 50_000; step++) {
            Signal signal = signals[random.nextInt(3)];
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    long value = kinds.size();
                    kinds.add(signal);
                    SignalWaiter taker = tested.arrive(new SignalInfo(signal, -1, 1, 1, 0, 0, value), 0);
                    TestWaiter expected = waiting.stream()
                            .filter(w -> w.signals().contains(signal))
                            .findFirst()
                            .orElse(null);
                    assertSame(expected, taker);
                    if (expected == null) {
                        pending.add(value);
                    } else {
                        waiting.remove(expected);
                    }
                }
                case 2 -> {
                    TestWaiter waiter =
                            random.nextBoolean() ? waiter(signal) : waiter(signal, signals[random.nextInt(3)]);
                    Long oldest = pending.stream()
                            .filter(v -> waiter.signals().contains(kinds.get(v.intValue())))
                            .findFirst()
                            .orElse(null);
                    assertEquals(oldest != null, tested.enter(waiter));
                    if (oldest == null) {
                        waiting.add(waiter);
                    } else {
                        pending.remove(oldest);
                    }
                }
                default -> {
                    if (!waiting.isEmpty()) {
                        TestWaiter gone = waiting.remove(random.nextInt(waiting.size()));
                        gone.cancel();
                        if (random.nextBoolean()) {
                            tested.leave(gone);
                        }
                    }
                }
            }
            assertEquals(pending.size(), tested.pending());
        }
        for (Signal signal : signals) {
            SignalRecord record;
            while ((record = tested.poll(signal)) != null) {
                long value = record.info().value();
                Long first = pending.stream()
                        .filter(v -> kinds.get(v.intValue()).equals(signal))
                        .findFirst()
                        .orElse(null);
                assertNotNull(first);
                assertEquals(first, value);
                pending.remove(first);
            }
        }
        assertEquals(List.of(), pending);
    }
}
