package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.shm.doorbell.DoorbellEvent.TIMEOUT;
import static dev.carillon.test.Futures.failureOf;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.HeldDescriptor;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DoorbellTest {
    private static final int MEETINGS = Boolean.getBoolean("carillon.stress") ? 20_000 : 1_500;

    private final DoorbellPair pair = Doorbell.pair();
    private final Doorbell host = pair.host();
    private final Doorbell guest = pair.guest();
    private final Sys sys = Sys.get();

    @AfterEach
    void closePair() {
        pair.close();
    }

    private static FutureTask<DoorbellEvent> waitingFor(Doorbell bell) {
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<DoorbellEvent> task = new FutureTask<>(() -> {
            begun.countDown();
            return bell.await();
        });
        Thread thread = new Thread(task, "waits for a bell");
        thread.setDaemon(true);
        thread.start();
        Deadline.after(LIMIT)
                .await(
                        "it waits",
                        () -> java.util.Arrays.stream(thread.getStackTrace())
                                .anyMatch(frame -> frame.getMethodName().equals("ppoll")));
        waiter = thread;
        return task;
    }

    private static volatile Thread waiter = Thread.currentThread();

    // r[verify shm.doorbell.hold]
    @Test
    void anEndThatIsHeldKeepsItsNumberUntilTheHoldIsClosed() throws Exception {
        HeldDescriptor held = guest.hold();
        guest.close();
        assertThrows(ClosedException.class, guest::hold);
        assertThrows(ClosedException.class, guest::ring);
        assertEquals(TIMEOUT, host.poll());
        assertTrue(Descriptors.open().getOrDefault(held.number(), "closed").startsWith("socket:"));
        held.close();
        held.close();
        assertEquals(PEER_GONE, host.await());
    }

    // r[verify shm.doorbell.purpose]
    @Test
    void aRingIsASignalInEitherDirection() throws Exception {
        assertEquals(RingResult.RUNG, host.ring());
        assertEquals(RUNG, guest.poll());
        assertEquals(TIMEOUT, guest.poll());
        assertEquals(RingResult.RUNG, guest.ring());
        assertEquals(RUNG, host.await());
        assertEquals(TIMEOUT, host.poll());
    }

    // r[verify shm.doorbell.signal]
    @Test
    void ringingNeverBlocksAndManyRingsAreOneEventOrAFew() throws Exception {
        for (int i = 0; i < 100_000; i++) {
            assertEquals(RingResult.RUNG, host.ring());
        }
        int events = 0;
        while (guest.poll() == RUNG) {
            events++;
        }
        assertTrue(events >= 1 && events < 10, "events=" + events);
        host.ring();
        assertEquals(RUNG, guest.await(LIMIT));
    }

    // r[verify shm.doorbell.wait]
    @Test
    void aWaitEndsInTimeAndNotBefore() throws Exception {
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            assertEquals(TIMEOUT, guest.await(Duration.ofNanos(1_500_000)));
            assertTrue(System.nanoTime() - start >= 1_500_000, "it was early");
        }
        assertEquals(TIMEOUT, guest.await(Duration.ofSeconds(-1)));
        assertEquals(TIMEOUT, guest.awaitUntil(0));
        host.ring();
        assertEquals(RUNG, guest.await(Duration.ofSeconds(Long.MAX_VALUE)));
        host.ring();
        assertEquals(RUNG, guest.awaitUntil(0));
    }

    // r[verify shm.doorbell.death]
    @Test
    void theDeathIsToldAfterTheLastRing() throws Exception {
        host.ring();
        host.close();
        assertEquals(RUNG, guest.await(LIMIT));
        assertEquals(PEER_GONE, guest.await(LIMIT));
        assertEquals(PEER_GONE, guest.poll());
        assertEquals(PEER_GONE, guest.await());
        assertEquals(RingResult.PEER_GONE, guest.ring());
        assertEquals(RingResult.PEER_GONE, guest.ring());
    }

    // r[verify shm.doorbell.death]
    @Test
    void aPeerThatLeavesRingsUnreadIsDeadAllTheSame() throws Exception {
        guest.ring();
        host.ring();
        host.close();
        assertEquals(RUNG, guest.await(LIMIT));
        assertEquals(PEER_GONE, guest.await(LIMIT));
        assertEquals(PEER_GONE, guest.await(LIMIT));
        assertEquals(RingResult.PEER_GONE, guest.ring());
    }

    @Test
    void ringingAPeerThatLeftRingsUnreadSaysThatItIsGone() {
        guest.ring();
        host.close();
        // Where a kernel lets any process pass descriptors, such an end is closed in the background.
        Deadline.after(LIMIT).await("it is gone", () -> guest.ring() == RingResult.PEER_GONE);
        assertEquals(PEER_GONE, guest.poll());
    }

    // r[verify shm.doorbell.purpose]
    @Test
    void whoWaitsIsWokenByARingAndByADeath() throws Exception {
        FutureTask<DoorbellEvent> ring = waitingFor(guest);
        host.ring();
        assertEquals(RUNG, get(ring));
        FutureTask<DoorbellEvent> death = waitingFor(guest);
        host.close();
        assertEquals(PEER_GONE, get(death));
    }

    // r[verify shm.doorbell.single-reader]
    @Test
    void aSecondReaderIsAnError() throws Exception {
        FutureTask<DoorbellEvent> first = waitingFor(guest);
        IllegalStateException thrown = assertThrows(IllegalStateException.class, guest::poll);
        assertTrue(String.valueOf(thrown.getMessage()).contains("one reader"), thrown::toString);
        assertThrows(IllegalStateException.class, () -> guest.await(Duration.ZERO));
        host.ring();
        assertEquals(RUNG, get(first));
        assertEquals(TIMEOUT, guest.poll());
    }

    @Test
    void afterAnInterruptTheBellStillRings() throws Exception {
        for (int i = 0; i < 20; i++) {
            FutureTask<DoorbellEvent> interrupted = waitingFor(guest);
            waiter.interrupt();
            assertTrue(failureOf(interrupted) instanceof InterruptedException);
            host.ring();
            assertEquals(RUNG, guest.await(LIMIT));
            assertEquals(TIMEOUT, guest.await(Duration.ofMillis(1)));
        }
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, guest::await);
        assertFalse(Thread.interrupted());
    }

    @Test
    void anInterruptThatMeetsTheBeginningOfAWaitIsNotLost() throws Exception {
        for (int i = 0; i < MEETINGS; i++) {
            CountDownLatch begins = new CountDownLatch(1);
            FutureTask<DoorbellEvent> task = new FutureTask<>(() -> {
                begins.countDown();
                return guest.await();
            });
            Thread thread = new Thread(task, "waits for a bell");
            thread.setDaemon(true);
            thread.start();
            while (begins.getCount() > 0) {
                Thread.onSpinWait();
            }
            long until = System.nanoTime() + i * 37L % 12_000;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            thread.interrupt();
            assertTrue(failureOf(task) instanceof InterruptedException);
        }
        host.ring();
        assertEquals(RUNG, guest.await(LIMIT));
    }

    @Test
    void closingEndsAWait() {
        FutureTask<DoorbellEvent> waiting = waitingFor(guest);
        guest.close();
        guest.close();
        assertTrue(failureOf(waiting) instanceof ClosedException);
        assertEquals(PEER_GONE, host.poll());
    }

    @Test
    void aClosedEndIsOfNoUse() {
        host.close();
        assertThrows(ClosedException.class, host::ring);
        assertThrows(ClosedException.class, host::poll);
        assertThrows(ClosedException.class, host::await);
        assertFalse(host.isOpen());
        assertTrue(host.toString().contains("closed"));
    }

    @Test
    void aNegativeDeadlineIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> host.awaitUntil(-1));
        assertThrows(IllegalArgumentException.class, () -> host.awaitUntil(System.nanoTime() + Long.MAX_VALUE));
    }

    @Test
    void waitingOnALoopThreadIsRefusedInCheckedModeAndPollingIsNot() {
        LoopThreads.mark();
        try {
            IllegalStateException thrown = assertThrows(IllegalStateException.class, guest::await);
            assertTrue(String.valueOf(thrown.getMessage()).contains("Doorbell.await"), thrown::toString);
            assertEquals(TIMEOUT, guest.poll());
        } finally {
            LoopThreads.unmark();
        }
    }

    // r[verify shm.doorbell.socketpair]
    @Test
    void bothEndsAreNeitherInheritedNorBlocking() {
        for (Doorbell end : new Doorbell[] {host, guest}) {
            assertTrue(sys.descriptors().isCloseOnExec(end.fd()));
            assertTrue(sys.descriptors().isNonBlocking(end.fd()));
            assertEquals(
                    Constants.SOCK_STREAM, sys.sockets().option(end.fd(), Constants.SOL_SOCKET, Constants.SO_TYPE));
        }
    }

    // r[verify shm.doorbell.socketpair]
    @Test
    void anAdoptedEndIsNotInheritedOnAndWorks() throws Exception {
        int copy = sys.descriptors().duplicateFrom(guest.fd(), 0).acquire();
        sys.descriptors().setCloseOnExec(copy, false);
        sys.descriptors().setNonBlocking(copy, false);
        guest.close();
        try (Doorbell adopted = Doorbell.adopt(copy)) {
            assertTrue(sys.descriptors().isCloseOnExec(copy));
            assertTrue(sys.descriptors().isNonBlocking(copy));
            host.ring();
            assertEquals(RUNG, adopted.await(LIMIT));
        }
        assertEquals(PEER_GONE, host.await(LIMIT));
    }

    // r[verify shm.doorbell.socketpair]
    @Test
    void whatIsNoDoorbellIsNotAdopted() {
        assertRefused(-1, "not negative");
        assertRefused(1_000_000, "EBADF");
        Fd[] pipe = sys.descriptors().pipe(true);
        refuse(pipe[0], "no socket");
        refuse(pipe[1], "no socket");
        refuse(sys.files().open("/dev/null", Constants.O_RDWR, 0), "no socket");
        Fd[] datagrams = sys.sockets().pair(Constants.SOCK_DGRAM);
        refuse(datagrams[0], "another kind");
        refuse(datagrams[1], "another kind");
        refuse(sys.sockets().open(Constants.AF_INET, Constants.SOCK_STREAM), "another kind");
        refuse(sys.sockets().open(Constants.AF_UNIX, Constants.SOCK_STREAM), "not connected");
    }

    private static void refuse(Fd fd, String part) {
        assertRefused(fd.acquire(), part);
        // It is still ours.
        fd.release();
        fd.close();
    }

    private static void assertRefused(int number, String part) {
        IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class, () -> Doorbell.adopt(number));
        assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::toString);
    }
}
