package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.test.Deadline;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The layer under the futures allocates nothing once it is warm. */
abstract class LoopAllocationContract extends LoopCase {
    private static final int ATTEMPTS = 40;
    private static final int MEASURED = 20_000;

    /** A chunk header per 2,048 foreign posts, and the measuring itself. */
    private static final double NONE = 0.1;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Bytes that this thread allocates per round, once the compiler has seen enough: the best of some measurements.
     * Where others take the processors, the compiler needs time as well.
     */
    private static double perRound(Runnable round) {
        long id = Thread.currentThread().getId();
        double best = Double.MAX_VALUE;
        Deadline deadline = Deadline.after(LIMIT);
        for (int attempt = 0; best >= NONE && (attempt < ATTEMPTS || !deadline.isOver()); attempt++) {
            long before = THREADS.getThreadAllocatedBytes(id);
            for (int i = 0; i < MEASURED; i++) {
                round.run();
            }
            best = Math.min(best, (THREADS.getThreadAllocatedBytes(id) - before) / (double) MEASURED);
        }
        return best;
    }

    private static void assertNone(String what, double bytes) {
        System.out.println(what + ": " + bytes + " B");
        assertTrue(bytes < NONE, () -> what + " allocates " + bytes + " B");
    }

    @Test
    void aPostFromTheLoopThread() {
        EventLoop loop = open();
        Runnable task = () -> {};
        assertNone("local post", perRound(() -> {
            loop.execute(task);
            loop.runOne();
        }));
    }

    @Test
    void aPostFromAnotherThread() {
        EventLoop loop = started();
        int[] ran = new int[1];
        Runnable task = () -> ran[0]++;
        assertNone("foreign post, poster", perRound(() -> post(loop, task)));
        double best = Double.MAX_VALUE;
        Deadline deadline = Deadline.after(LIMIT);
        for (int attempt = 0; best >= NONE && (attempt < ATTEMPTS || !deadline.isOver()); attempt++) {
            long before = on(
                    loop,
                    () -> THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
            for (int i = 0; i < MEASURED; i++) {
                post(loop, task);
            }
            long after = on(
                    loop,
                    () -> THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()));
            best = Math.min(best, (after - before) / (double) MEASURED);
        }
        assertNone("foreign post, loop", best);
    }

    /** A queue that grows needs memory; one that is read as fast as it is written does not. */
    private static void post(EventLoop loop, Runnable task) {
        loop.execute(task);
        while (loop.parts.inbox.backlog() > 500) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aTimerThatIsSetAnew() {
        EventLoop loop = open();
        TimerHandle timer = loop.schedule(Duration.ZERO, () -> {});
        loop.runUntilEmpty();
        assertNone("timer", perRound(() -> {
            timer.rescheduleAt(loop.nanoTime());
            loop.runOne();
        }));
        assertNone("timer that is cancelled", perRound(() -> {
            timer.rescheduleAt(Long.MAX_VALUE);
            timer.cancel();
        }));
    }

    // r[verify timer.repeat]
    @Test
    void aTick() {
        for (MissedTicks rule : MissedTicks.values()) {
            long[] now = new long[1];
            EventLoop loop = open(options().clock(() -> now[0]));
            RepeatingTimer timer = loop.scheduleRepeating(
                    java.time.Duration.ZERO, java.time.Duration.ofNanos(1_000), rule, tick -> {});
            loop.runUntilEmpty();
            assertNone("tick, " + rule, perRound(() -> {
                now[0] = timer.nextTick();
                loop.runOne();
            }));
        }
    }

    @Test
    void readsAndWritesThatAreReady() {
        EventLoop loop = open();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        loop.runUntilEmpty();
        for (boolean direct : new boolean[] {true, false}) {
            ByteBuffer in = direct ? ByteBuffer.allocateDirect(64) : ByteBuffer.allocate(64);
            ByteBuffer out = direct ? ByteBuffer.allocateDirect(64) : ByteBuffer.allocate(64);
            Operation read = Operation.of(done -> {});
            Operation write = Operation.of(done -> {});
            assertNone("write and ready read, direct=" + direct, perRound(() -> {
                pair.get(0).writeSome(out.clear(), write);
                pair.get(1).readSome(in.clear(), read);
                while (write.isPending() || read.isPending()) {
                    loop.runSome();
                }
            }));
        }
    }

    @Test
    void aReadThatWaits() {
        assertReadsThatWaitLeaveNone("read that waits", Operation.of(done -> {}));
    }

    // r[verify io.deadline]
    @Test
    void aReadThatWaitsForSoLong() {
        assertReadsThatWaitLeaveNone(
                "read with a deadline", Operation.of(done -> {}).within(Duration.ofHours(1)));
    }

    private void assertReadsThatWaitLeaveNone(String what, Operation read) {
        EventLoop loop = open();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        loop.runUntilEmpty();
        ByteBuffer in = ByteBuffer.allocateDirect(64);
        ByteBuffer out = ByteBuffer.allocateDirect(64);
        Operation write = Operation.of(done -> {});
        assertNone(what, perRound(() -> {
            pair.get(1).readSome(in.clear(), read);
            pair.get(0).writeSome(out.clear(), write);
            while (write.isPending() || read.isPending()) {
                loop.runSome();
            }
        }));
    }
}
