package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.shm.doorbell.DoorbellEvent.TIMEOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How virtual threads wait; a platform thread can wait so, too. */
// r[verify shm.doorbell.virtual]
@LeakExempt(
        kinds = {LeakKind.THREAD, LeakKind.DESCRIPTOR},
        why = "the shared loop lives as long as the VM")
final class ParkedWaitTest {
    private static final long NEVER = Long.MAX_VALUE;

    private final BellEnd[] ends = BellEnd.pair();
    private final BellEnd host = ends[0];
    private final BellEnd guest = ends[1];

    @AfterEach
    void close() {
        host.close();
        guest.close();
    }

    private final class Parked {
        final FutureTask<DoorbellEvent> task = new FutureTask<>(() -> new ParkedWait(guest).until(NEVER));
        final Thread thread = new Thread(task, "parked");

        Parked() {
            thread.setDaemon(true);
            thread.start();
            Deadline.after(LIMIT).await("it is parked", () -> LockSupport.getBlocker(thread) instanceof ParkedWait);
        }

        DoorbellEvent result() throws Exception {
            return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }

        Throwable failure() {
            return Objects.requireNonNull(
                    assertThrows(ExecutionException.class, this::result).getCause());
        }
    }

    @Test
    void aRingAndADeathUnparkIt() throws Exception {
        for (int i = 0; i < 200; i++) {
            Parked ring = new Parked();
            host.ring();
            assertEquals(RUNG, ring.result(), "round " + i);
        }
        Parked death = new Parked();
        host.close();
        assertEquals(PEER_GONE, death.result());
        assertEquals(PEER_GONE, new ParkedWait(guest).until(NEVER));
    }

    @Test
    void itEndsInTimeAndNotBefore() throws Exception {
        long deadline = System.nanoTime() + 3_000_000;
        assertEquals(TIMEOUT, new ParkedWait(guest).until(deadline));
        Deadline.after(LIMIT).await("the time is over", () -> System.nanoTime() - deadline >= 0);
        assertEquals(TIMEOUT, new ParkedWait(guest).until(0));
        host.ring();
        assertEquals(RUNG, new ParkedWait(guest).until(0));
    }

    @Test
    void anInterruptEndsItAndLosesNoRing() throws Exception {
        Parked parked = new Parked();
        parked.thread.interrupt();
        assertInstanceOf(InterruptedException.class, parked.failure());
        host.ring();
        assertEquals(RUNG, new ParkedWait(guest).until(NEVER));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> new ParkedWait(guest).until(NEVER));
    }

    // r[verify shm.doorbell.loop-end]
    @Test
    void theEndOfTheSharedLoopByAnErrorLosesNoRing() throws Exception {
        for (int i = 0; i < 5; i++) {
            Parked parked = new Parked();
            endSharedLoop();
            host.ring();
            assertEquals(RUNG, parked.result(), "round " + i);
        }
        Parked parked = new Parked();
        endSharedLoop();
        host.close();
        assertEquals(PEER_GONE, parked.result());
    }

    /** All the time: a wait may begin, or move, while the next loop is about to end as well. */
    // r[verify shm.doorbell.loop-end]
    @Test
    void oneSharedLoopAfterTheOtherMayEnd() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        FutureTask<Integer> ending = new FutureTask<>(() -> {
            int ended = 0;
            do {
                endSharedLoop();
                ended++;
            } while (!stop.get());
            return ended;
        });
        new Thread(ending, "ends shared loops").start();
        try {
            for (int i = 0; i < 20; i++) {
                Parked parked = new Parked();
                host.ring();
                assertEquals(RUNG, parked.result(), "round " + i);
            }
        } finally {
            stop.set(true);
        }
        assertTrue(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS) > 0, "no loop has ended");
    }

    private static void endSharedLoop() {
        EventLoop shared = EventLoop.shared();
        shared.execute(() -> {
            InternalError planted = new InternalError("planted");
            planted.setStackTrace(new StackTraceElement[0]); // many are printed
            throw planted;
        });
        Deadline.after(LIMIT).await("the shared loop has ended", shared::isTerminated);
    }

    @Test
    void aCloseEndsIt() {
        Parked parked = new Parked();
        guest.close();
        LockSupport.unpark(parked.thread); // which Doorbell.close does
        assertInstanceOf(ClosedException.class, parked.failure());
    }
}
