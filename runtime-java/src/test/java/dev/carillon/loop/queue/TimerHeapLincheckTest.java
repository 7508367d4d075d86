package dev.carillon.loop.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The heap of one thread, while others cancel timers in it. */
@Timeout(1_200)
final class TimerHeapLincheckTest {
    private static final int TIMERS = 3;

    // r[verify timer.heap]
    @Test
    void inEveryInterleavingATimerFiresInItsTurnOrIsCancelled() {
        ChildExit exit = LincheckRun.of(Shipped.class, Model.class);
        assertEquals(0, exit.code(), exit::toString);
        System.out.println(exit.stdout().get(exit.stdout().size() - 1));
    }

    @Test
    void aCancelThatLooksFirstAndActsThenIsFound() {
        ChildExit exit = LincheckRun.of(CancelsInTwoSteps.class, Model.class);
        assertNotEquals(0, exit.code());
        assertTrue(exit.toString().contains("Invalid execution results"), exit::toString);
    }

    /** As the loop uses it: its thread is told of cancels later. */
    @Param(name = "timer", gen = IntGen.class, conf = "0:2")
    @Param(name = "time", gen = IntGen.class, conf = "1:3")
    public static class Shipped {
        final Timer[] timers = new Timer[TIMERS];
        private final TimerHeap heap = new TimerHeap();
        private final AtomicInteger cancelled = new AtomicInteger();

        public Shipped() {
            for (int i = 0; i < TIMERS; i++) {
                timers[i] = new Timer(i);
            }
        }

        @Operation(nonParallelGroup = "loop")
        public boolean set(@Param(name = "timer") int timer, @Param(name = "time") int time) {
            heap.cancelled(cancelled.getAndSet(0));
            if (timers[timer].isArmed()) {
                return false;
            }
            timers[timer].arm(time);
            heap.add(timers[timer]);
            return true;
        }

        @Operation(nonParallelGroup = "loop")
        public int fire(@Param(name = "time") int now) {
            TimerNode fired = heap.pollDue(now);
            return fired == null ? -1 : ((Timer) fired).number;
        }

        @Operation(nonParallelGroup = "loop")
        public long earliest() {
            return heap.earliest();
        }

        @Operation
        public boolean cancel(@Param(name = "timer") int timer) {
            if (timers[timer].tryCancel()) {
                cancelled.incrementAndGet();
                return true;
            }
            return false;
        }
    }

    /** Planted. */
    @Param(name = "timer", gen = IntGen.class, conf = "0:2")
    @Param(name = "time", gen = IntGen.class, conf = "1:3")
    public static class CancelsInTwoSteps extends Shipped {
        @Override
        @Operation
        public boolean cancel(@Param(name = "timer") int timer) {
            boolean armed = timers[timer].isArmed();
            timers[timer].tryCancel();
            return armed;
        }
    }

    /** What it is compared with; one call at a time. */
    public static class Model {
        private final long[] deadlines = new long[TIMERS];
        private final int[] order = new int[TIMERS];
        private int inserted;

        public boolean set(int timer, int time) {
            if (deadlines[timer] != 0) {
                return false;
            }
            deadlines[timer] = time;
            order[timer] = inserted++;
            return true;
        }

        private int first() {
            int first = -1;
            for (int i = 0; i < TIMERS; i++) {
                boolean earlier = first < 0
                        || deadlines[i] < deadlines[first]
                        || (deadlines[i] == deadlines[first] && order[i] < order[first]);
                first = deadlines[i] != 0 && earlier ? i : first;
            }
            return first;
        }

        public int fire(int now) {
            int first = first();
            if (first < 0 || deadlines[first] > now) {
                return -1;
            }
            deadlines[first] = 0;
            return first;
        }

        public long earliest() {
            int first = first();
            return first < 0 ? TimerHeap.NEVER : deadlines[first];
        }

        public boolean cancel(int timer) {
            boolean armed = deadlines[timer] != 0;
            deadlines[timer] = 0;
            return armed;
        }
    }

    private static final class Timer extends TimerNode {
        private final int number;

        Timer(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            throw new AssertionError("a heap calls nothing");
        }
    }
}
