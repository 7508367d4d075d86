package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Seeded;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class TimerHeapTest {
    private final TimerHeap heap = new TimerHeap();

    // r[verify timer.heap]
    // r[verify loop.burst]
    @Test
    void theArraysOfABurstAreGivenBackWhenItsTimersHaveFired() {
        TimerHeap heap = new TimerHeap();
        for (int i = 0; i < 500_000; i++) {
            TimerNode node = new Node();
            node.arm(i % 1_000);
            heap.add(node);
        }
        int fired = 0;
        while (heap.pollDue(1_000) != null) {
            fired++;
        }
        assertEquals(500_000, fired);
        for (int i = 0; i < 20; i++) {
            heap.giveBack();
        }
        assertTrue(heap.capacity() <= 4096, () -> "capacity " + heap.capacity());
        TimerNode node = new Node();
        node.arm(5);
        heap.add(node);
        assertEquals(5, heap.earliest());
    }

    // r[verify timer.repeat-memory]
    @Test
    void aNodeThatCameOutGoesBackWithoutMemoryWhateverWasAddedMeanwhile() {
        for (int size = 1; size < 300; size++) {
            for (int more = 0; more < 3; more++) {
                TimerHeap heap = new TimerHeap();
                for (int i = 0; i < size; i++) {
                    heap.add(armed(i));
                }
                for (int again = 0; again < 2; again++) {
                    TimerNode out = Objects.requireNonNull(heap.pollDue(Long.MAX_VALUE));
                    for (int i = 0; i < more; i++) {
                        heap.add(armed(i));
                    }
                    int capacity = heap.capacity();
                    assertTrue(out.tryArmAgain(1_000));
                    heap.addAgain(out);
                    assertEquals(capacity, heap.capacity(), size + " timers and " + more);
                }
                assertEquals(size + 2 * more, heap.size());
            }
        }
    }

    private static Node armed(long deadline) {
        Node node = new Node();
        node.arm(deadline);
        return node;
    }

    // r[verify timer.repeat-cancel]
    @Test
    void aNodeThatFiredIsArmedAgainOrCancelledByOneOfThem() {
        Node node = set(new Node(), 1);
        assertFalse(node.tryCancelFired());
        assertFalse(node.tryArmAgain(2));
        assertSame(node, heap.pollDue(1));
        assertTrue(node.hasFired());
        assertTrue(node.tryArmAgain(2));
        assertFalse(node.tryArmAgain(3));
        heap.addAgain(node);
        assertNull(heap.pollDue(1));
        assertSame(node, heap.pollDue(2));
        assertTrue(node.tryCancelFired());
        assertFalse(node.tryArmAgain(3));
        assertTrue(node.isCancelled());
        assertNull(heap.pollDue(Long.MAX_VALUE));
    }

    @Test
    void anyMixOfSetsAndCancelsFiresInTheModelsOrder(@Seeded SplittableRandom random) {
        Comparator<Node> byDeadline = Comparator.comparingLong(TimerNode::deadline);
        TreeSet<Node> model = new TreeSet<>(byDeadline.thenComparingLong(node -> node.order));
        List<Node> nodes = new ArrayList<>();
        long order = 0;
        for (int step = 0; step < 200_000; step++) {
            int what = random.nextInt(10);
            if (what < 5) {
                Node node = set(new Node(), random.nextInt(1_000) + step / 10);
                node.order = order++;
                nodes.add(node);
                model.add(node);
            } else if (what < 8 && !nodes.isEmpty()) {
                Node node = nodes.get(random.nextInt(nodes.size()));
                assertEquals(model.remove(node), node.tryCancel());
                heap.cancelled(1);
                if (random.nextBoolean()) {
                    node.tryCancel();
                    model.remove(node);
                    set(node, step / 10 + random.nextInt(500));
                    node.order = order++;
                    model.add(node);
                }
            } else {
                long now = step / 10;
                TimerNode fired;
                while ((fired = heap.pollDue(now)) != null) {
                    assertSame(model.pollFirst(), fired);
                    assertTrue(fired.deadline() <= now);
                }
                assertTrue(model.isEmpty() || model.first().deadline() > now);
            }
            assertEquals(model.isEmpty() ? TimerHeap.NEVER : model.first().deadline(), heap.earliest());
        }
    }

    @Test
    void equalDeadlinesFireInTheOrderOfInsertion() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            nodes.add(set(new Node(), 7));
        }
        for (Node node : nodes) {
            assertSame(node, heap.pollDue(7));
        }
        assertNull(heap.pollDue(7));
    }

    // r[verify timer.heap]
    @Test
    void cancelledTimersHoldABoundedAmountOfMemory() {
        List<Node> alive = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            alive.add(set(new Node(), 1_000_000 + i));
        }
        for (int i = 0; i < 1_000_000; i++) {
            assertTrue(set(new Node(), 2_000_000 + i).tryCancel());
            heap.cancelled(1);
            assertTrue(heap.size() <= 2 * 1_000 + 2, "size=" + heap.size());
        }
        for (Node node : alive) {
            assertSame(node, heap.pollDue(Long.MAX_VALUE - 1));
        }
        assertTrue(heap.isEmpty());
    }

    @Test
    void aHeapOfTombstonesOnlyIsEmpty() {
        for (int i = 0; i < 1_000; i++) {
            assertTrue(set(new Node(), i).tryCancel());
            heap.cancelled(1);
        }
        assertTrue(heap.isEmpty());
        assertNull(heap.pollDue(Long.MAX_VALUE));
        Node next = set(new Node(), 1);
        assertSame(next, heap.pollDue(1));
    }

    /** As a timeout of idle connections: taken back and set again with each message. */
    @Test
    void aTimerThatIsSetAnewAgainAndAgainHoldsABoundedAmountOfMemoryAndFiresOnce() {
        Node node = set(new Node(), 1_000_000);
        for (int i = 1; i <= 100_000; i++) {
            assertTrue(node.tryCancel());
            heap.cancelled(1);
            set(node, 1_000_000 + i % 3);
            if (i % 10 == 0) {
                assertEquals(node.deadline(), heap.earliest());
            }
            assertTrue(heap.size() <= 130, "size=" + heap.size());
        }
        assertSame(node, heap.pollDue(2_000_000));
        assertNull(heap.pollDue(2_000_000));
        assertTrue(heap.isEmpty());
    }

    @Test
    void aTimerThatIsSetAnewBeforeTheHeapHeardOfItsCancelFiresAtTheNewTime() {
        Node node = set(new Node(), 5);
        assertEquals(5, heap.earliest());
        assertTrue(node.tryCancel());
        set(node, 9);
        assertEquals(9, heap.earliest());
        heap.cancelled(1);
        assertNull(heap.pollDue(8));
        assertSame(node, heap.pollDue(9));
        assertTrue(heap.isEmpty());
    }

    @Test
    void aTimerFiresOrIsCancelledButNotBoth() {
        Node node = set(new Node(), 1);
        assertSame(node, heap.pollDue(1));
        assertFalse(node.tryCancel());
        set(node, 2);
        assertTrue(node.tryCancel());
        assertNull(heap.pollDue(3));
        assertTrue(node.isCancelled());
    }

    @Test
    void anArmedTimerCannotBeSetAnew() {
        Node node = set(new Node(), 1);
        assertThrows(IllegalStateException.class, () -> node.arm(2));
    }

    private Node set(Node node, long deadline) {
        node.arm(deadline);
        heap.add(node);
        return node;
    }

    private static final class Node extends TimerNode {
        private long order;

        @Override
        public void run() {
            throw new AssertionError("a heap calls nothing");
        }
    }
}
