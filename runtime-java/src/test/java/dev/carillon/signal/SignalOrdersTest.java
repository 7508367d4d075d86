package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * All orders of two waits, two records, a cancellation and the loop's own steps, on a loop that the test runs step by
 * step: whatever comes first, each record is delivered once or pending in its place, and who has cancelled gets nothing.
 */
class SignalOrdersTest {
    private static final Signal SIGNAL = Signal.SIGWINCH;
    private static final Signal OTHER = Signal.SIGURG;

    private final EventLoop loop = EventLoop.open();

    // r[verify signal.state] r[verify signal.cancel] r[verify signal.fifo] r[verify signal.any]
    @Test
    void eachRecordIsDeliveredOnceOrPendingInItsPlace() {
        loop.runUntilEmpty();
        int orders = 0;
        try (loop;
                SignalService service = SignalService.attach(loop, SignalSet.of(SIGNAL, OTHER))) {
            for (List<Integer> order : permutations(List.of(0, 1, 2, 3, 4))) {
                for (int pauses = 0; pauses < 32; pauses++) {
                    for (int kind = 0; kind < 4; kind++) {
                        new Case(service, order, pauses, kind % 2 == 1, kind >= 2).run();
                        orders++;
                    }
                }
            }
        }
        assertEquals(120 * 32 * 4, orders);
    }

    private static Stream<List<Integer>> permutationsOf(List<Integer> items) {
        return items.isEmpty()
                ? Stream.of(List.of())
                : items.stream().flatMap(first -> {
                    List<Integer> rest = new ArrayList<>(items);
                    rest.remove(first);
                    return permutationsOf(rest)
                            .map(tail -> Stream.concat(Stream.of(first), tail.stream())
                                    .toList());
                });
    }

    private static List<List<Integer>> permutations(List<Integer> items) {
        return permutationsOf(items).toList();
    }

    private final class Case {
        private final SignalService service;
        private final List<Integer> order;
        private final int pauses;
        private final TestWaiter first;
        private final TestWaiter second;
        private final boolean refuses;
        private boolean isCancelled;

        Case(SignalService service, List<Integer> order, int pauses, boolean refuses, boolean any) {
            this.service = service;
            this.order = order;
            this.pauses = pauses;
            this.refuses = refuses;
            first = new TestWaiter(any ? SignalSet.of(SIGNAL, OTHER) : SignalSet.of(SIGNAL), refuses);
            second = new TestWaiter(SignalSet.of(SIGNAL));
        }

        void run() {
            for (int i = 0; i < order.size(); i++) {
                step(order.get(i));
                if ((pauses & 1 << i) != 0) {
                    loop.runUntilEmpty();
                }
            }
            loop.runUntilEmpty();
            check();
        }

        private void step(int step) {
            switch (step) {
                case 0 -> service.start(first);
                case 1 -> service.start(second);
                case 2 -> service.inject(SignalCase.numbered(SIGNAL, 1));
                case 3 -> service.inject(SignalCase.numbered(SIGNAL, 2));
                default -> isCancelled = first.cancel();
            }
        }

        private void check() {
            List<Long> pending = new ArrayList<>();
            SignalInfo left;
            while ((left = service.tryPopPending(SIGNAL)) != null) {
                pending.add(left.value());
            }
            List<Long> all = new ArrayList<>(pending);
            Stream.of(first, second).forEach(waiter -> waiter.got.forEach(info -> all.add(info.value())));
            assertEquals(2, all.size(), this::toString);
            assertTrue(all.containsAll(List.of(1L, 2L)), this::toString);
            List<Long> expected = orderOfInjection();
            expected.retainAll(pending);
            assertEquals(expected, pending, this::toString);
            boolean firstEndsEmpty = isCancelled || refuses;
            assertEquals(firstEndsEmpty ? 0 : 1, first.got.size(), this::toString);
            assertEquals(1, second.got.size(), this::toString);
            assertEquals(0, service.stats().waiting(), this::toString);
        }

        private List<Long> orderOfInjection() {
            boolean oneIsFirst = order.indexOf(2) < order.indexOf(3);
            return new ArrayList<>(oneIsFirst ? List.of(1L, 2L) : List.of(2L, 1L));
        }

        @Override
        public String toString() {
            return "order " + order + ", pauses " + Integer.toBinaryString(pauses) + ", refuses " + refuses + ", first "
                    + first + " got " + first.got + ", second " + second + " got " + second.got;
        }
    }
}
