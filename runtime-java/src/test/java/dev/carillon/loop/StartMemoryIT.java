package dev.carillon.loop;

import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that are started where the heap is full, in a VM of its own. */
final class StartMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify loop.errors]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void aLoopThatIsStartedInAFullHeapRunsItsTasksOrRefusesThem(int warm) {
        ChildJvm.of(FullHeap.class)
                .args(Integer.toString(warm))
                .vmFlags("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit")
                .run(LIMIT)
                .assertPrintedOnly("0 neither ran nor refused");
    }

    /** Frees one more object before each start, so that its thread fails at another step. */
    static final class FullHeap {
        private static final int LOOPS = 40;
        private static final int ROUNDS = 5_000;

        public static void main(String[] args) throws InterruptedException {
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                EventLoop loop = EventLoop.open().start();
                LoopCase.on(loop, () -> 1);
                loop.close();
            }
            EventLoop[] loops = new EventLoop[LOOPS];
            CountDownLatch[] ran = new CountDownLatch[LOOPS];
            for (int i = 0; i < LOOPS; i++) {
                loops[i] = EventLoop.open();
                ran[i] = new CountDownLatch(1);
            }
            Runnable[] tasks =
                    Arrays.stream(ran).map(latch -> (Runnable) latch::countDown).toArray(Runnable[]::new);
            Object[] taken = new Object[400_000];
            Ballast.fill(taken);
            int last = taken.length - 1;
            while (taken[last] == null) {
                last--;
            }
            for (int i = 0; i < LOOPS; i++) {
                for (int round = 0; round < ROUNDS && !started(loops[i]); round++) {
                    taken[Math.max(0, last)] = null;
                    last--;
                }
            }
            Arrays.fill(taken, null);
            int neither = 0;
            for (int i = 0; i < LOOPS; i++) {
                if (!refused(loops[i], tasks[i]) && !ran[i].await(30, TimeUnit.SECONDS)) {
                    neither++;
                }
            }
            System.out.println(neither + " neither ran nor refused");
            for (EventLoop loop : loops) {
                loop.close();
            }
        }

        private static boolean started(EventLoop loop) {
            try {
                loop.start();
                return true;
            } catch (OutOfMemoryError full) {
                return false;
            }
        }

        private static boolean refused(EventLoop loop, Runnable task) {
            try {
                loop.execute(task);
                return false;
            } catch (RejectedExecutionException refused) {
                return true;
            }
        }
    }
}
