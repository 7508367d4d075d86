package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Interleavings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All orders of the steps of waiters and signallers, as shipped and wrong on purpose. */
final class EventCountTest {
    /** With two there are millions of states. */
    private static final int MAX_ITEMS = Boolean.getBoolean("carillon.stress") ? 2 : 1;

    private final MemoryRegion region = MemoryRegion.anonymous(EventCount.BYTES);
    private final EventCountSteps steps = new EventCountSteps(region, 0, KernelSleep.orPolling(), () -> {});

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private int explore(int waiters, int signallers, int items, EventCountWorld.Plan plan) {
        return Interleavings.explore(() -> new EventCountWorld(region, steps, waiters, signallers, items, plan));
    }

    private void assertFound(EventCountWorld.Plan plan, String what) {
        assertFound(2, plan, what);
    }

    private void assertFound(int waiters, EventCountWorld.Plan plan, String what) {
        Optional<String> found = Interleavings.failureOf(() -> new EventCountWorld(region, steps, waiters, 2, 2, plan));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains(what), found::toString);
    }

    /** The search makes the steps by itself, so the shipped methods must make them in that order. */
    // r[verify futex.no-lost-wakeup]
    @Test
    void theShippedMethodsMakeTheStepsInTheOrderOfTheSearch() throws Exception {
        List<String> made = new ArrayList<>();
        EventCount count = new EventCount(new RecordedSteps(region, made));
        count.signal();
        assertEquals(List.of("hasSleepers"), made);
        made.clear();
        int key = count.prepare();
        assertEquals(List.of("key", "announce"), made);
        made.clear();
        count.signal();
        assertEquals(List.of("hasSleepers", "takeSleepers", "increment", "wake"), made);
        assertEquals(WaitResult.VALUE_CHANGED, count.await(key, 0));
        made.clear();
        assertFalse(count.awaitUntil(() -> !made.add("look"), 0));
        assertEquals(List.of("look", "key", "announce", "look", "await", "look"), made);
        made.clear();
        count.recover();
        assertEquals(List.of("takeSleepers", "increment", "wake", "ring"), made);
        made.clear();
        count.prepareToListen();
        assertEquals(List.of("key", "announce"), made);
        made.clear();
        count.signal();
        assertEquals(List.of("hasSleepers", "takeSleepers", "increment", "ring"), made);
    }

    /** A system call that needs memory of the heap, where there is none. */
    // r[verify futex.no-lost-wakeup]
    @Test
    void whoeverWasNotToldForWantOfMemoryIsToldByTheNextSignal() {
        List<String> made = new ArrayList<>();
        RecordedSteps poor = new RecordedSteps(region, made);
        EventCount count = new EventCount(poor);
        count.prepare();
        poor.fails = true;
        assertThrows(OutOfMemoryError.class, count::signal);
        poor.fails = false;
        made.clear();
        count.signal();
        assertEquals(List.of("hasSleepers", "takeSleepers", "increment", "wake", "ring"), made);
        poor.fails = true;
        assertThrows(OutOfMemoryError.class, count::recover);
        poor.fails = false;
        made.clear();
        count.signal();
        assertEquals(List.of("hasSleepers", "takeSleepers", "increment", "wake", "ring"), made);
        made.clear();
        count.signal();
        assertEquals(List.of("hasSleepers"), made);
    }

    // r[verify futex.no-lost-wakeup]
    @Test
    void inNoOrderIsAWakeupLost() {
        int states = explore(1, 1, 4, EventCountWorld.Plan.SHIPPED)
                + explore(1, 2, 2, EventCountWorld.Plan.SHIPPED)
                + explore(2, 1, 2, EventCountWorld.Plan.SHIPPED)
                + explore(2, 2, MAX_ITEMS, EventCountWorld.Plan.SHIPPED);
        System.out.println("event count: " + states + " states");
        assertTrue(states > 1_000, () -> "states=" + states);
    }

    // r[verify futex.no-lost-wakeup]
    @Test
    void aWaiterThatIsKilledAnywhereHurtsNobody() {
        int states = explore(2, 1, 2, EventCountWorld.Plan.SHIPPED_WITH_KILL)
                + explore(2, 2, MAX_ITEMS, EventCountWorld.Plan.SHIPPED_WITH_KILL);
        System.out.println("event count with a kill: " + states + " states");
        assertTrue(states > 1_000, () -> "states=" + states);
    }

    // r[verify futex.listen]
    @Test
    void inNoOrderIsARingLost() {
        int states = explore(1, 1, 4, EventCountWorld.Plan.LISTENER)
                + explore(1, 2, 2, EventCountWorld.Plan.LISTENER)
                + explore(1, 2, 2, EventCountWorld.Plan.LISTENER_WITH_KILL);
        System.out.println("event count with a listener: " + states + " states");
        assertTrue(states > 500, () -> "states=" + states);
    }

    @Test
    void whoListensWithoutTheSecondLookMissesARing() {
        assertFound(1, EventCountWorld.Plan.LISTENER_WITHOUT_SECOND_LOOK, "sleeps on");
    }

    @Test
    void aRingBeforeThePublicationIsTooEarly() {
        assertFound(1, EventCountWorld.Plan.RING_BEFORE_PUBLISHING, "sleeps on");
    }

    @Test
    void aBellThatForgetsLosesWhatComesBeforeTheWait() {
        assertFound(1, EventCountWorld.Plan.BELL_THAT_FORGETS, "sleeps on");
    }

    /** Why only one may wait: the last announcement covers the one before it. */
    @Test
    void aListenerHidesASleeperOnTheSameEventCount() {
        assertFound(2, EventCountWorld.Plan.LISTENER_AND_SLEEPER, "sleeps on");
    }

    @Test
    void withoutTheSecondLookAWakeupIsLost() {
        assertFound(EventCountWorld.Plan.NO_SECOND_LOOK, "sleeps on");
    }

    @Test
    void waitingOnTheDataWordLosesWhatChangesAnotherWord() {
        assertFound(EventCountWorld.Plan.WAIT_ON_DATA_WORD, "sleeps on");
    }

    @Test
    void wakingWordZeroWhateverChangedLosesAWakeup() {
        assertFound(EventCountWorld.Plan.WAKE_WORD_ZERO, "sleeps on");
    }

    @Test
    void aKeyThatIsReadAfterTheAnnouncementLosesAWakeup() {
        assertFound(EventCountWorld.Plan.KEY_AFTER_ANNOUNCING, "sleeps on");
    }

    @Test
    void countingBeforeTakingTheSleepersLosesAWakeup() {
        assertFound(EventCountWorld.Plan.INCREMENT_BEFORE_TAKING, "sleeps on");
    }

    @Test
    void countingSleepersLeavesSystemCallsForNobodyAfterAKill() {
        assertFound(EventCountWorld.Plan.COUNT_SLEEPERS, "wakes for nobody");
    }

    /** Writes down which steps are made. */
    private static final class RecordedSteps extends EventCountSteps {
        private final List<String> made;
        private boolean fails;

        RecordedSteps(MemoryRegion region, List<String> made) {
            super(region, 0, KernelSleep.orPolling(), () -> {});
            this.made = made;
        }

        @Override
        int key() {
            made.add("key");
            return super.key();
        }

        @Override
        void announce(int how) {
            made.add("announce");
            super.announce(how);
        }

        @Override
        WaitResult await(int key, long deadlineNanos) throws InterruptedException {
            made.add("await");
            return super.await(key, deadlineNanos);
        }

        @Override
        boolean hasSleepers() {
            made.add("hasSleepers");
            return super.hasSleepers();
        }

        @Override
        void ring() {
            made.add("ring");
            super.ring();
        }

        @Override
        int takeSleepers() {
            made.add("takeSleepers");
            return super.takeSleepers();
        }

        @Override
        void increment() {
            made.add("increment");
            super.increment();
        }

        @Override
        void wake() {
            made.add("wake");
            if (fails) {
                throw new OutOfMemoryError("as planned");
            }
            super.wake();
        }
    }
}
