package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.EPOLLET;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.EPOLLOUT;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

abstract class EpollContract extends SysContract {
    private static final long MILLISECOND = 1_000_000;
    private static final long LONG = 30_000 * MILLISECOND;

    /**
     * So many waits may be interrupted: closing an io_uring, as the probe of that feature does, lets the kernel interrupt
     * whatever the same thread waits for some 10 ms later.
     */
    private static final int INTERRUPTIONS = 4;

    private final boolean pwait2;

    @TempDir
    private Path folder;

    EpollContract(LibC libc, boolean pwait2) {
        super(libc);
        this.pwait2 = pwait2;
        Availability availability = Feature.EPOLL_PWAIT2.availability();
        Assumptions.assumeTrue(!pwait2 || availability.isAvailable(), availability::toString);
    }

    private Epoll epoll(int capacity) {
        return closing(new Epoll(libc, capacity, pwait2));
    }

    @Test
    void eventsBringTheirFlagsAndData() {
        Epoll epoll = epoll(8);
        int first = number(sys.clocks().event(0));
        int second = number(sys.clocks().event(1));
        assertTrue(epoll.add(first, EPOLLIN, Long.MIN_VALUE));
        assertTrue(epoll.add(second, EPOLLIN | EPOLLET, 0x1234_5678_9abc_def0L));
        assertEquals(1, epoll.await(LONG));
        assertEquals(0x1234_5678_9abc_def0L, epoll.data(0));
        assertEquals(EPOLLIN, epoll.events(0));
        epoll.modify(first, EPOLLOUT, 3);
        assertEquals(1, epoll.await(LONG));
        assertEquals(3, epoll.data(0));
        assertEquals(EPOLLOUT, epoll.events(0));
        epoll.remove(first);
        assertEquals(0, epoll.await(0));
    }

    // r[verify sys.epoll-timeout]
    @Test
    void aTimeoutIsKeptToAFractionOfAMillisecond() {
        Epoll epoll = epoll(4);
        long shortest = Long.MAX_VALUE;
        int early = 0;
        long end = System.nanoTime() + LONG;
        // A busy machine wakes nobody so soon for a while.
        for (int i = 0; i < 50 || (shortest >= MILLISECOND && System.nanoTime() - end < 0); i++) {
            long taken = taken(epoll, MILLISECOND / 4);
            if (taken < MILLISECOND / 4) {
                early++;
            } else {
                shortest = Math.min(shortest, taken);
            }
        }
        assertTrue(early <= INTERRUPTIONS, "early=" + early);
        assertTrue(shortest < MILLISECOND, "whole milliseconds only, shortest=" + shortest);
    }

    @Test
    void anOldTimeoutEndsNoLaterWait() {
        int early = 0;
        for (int i = 0; i <= INTERRUPTIONS; i++) {
            Epoll epoll = epoll(4);
            int event = number(sys.clocks().event(1));
            epoll.add(event, EPOLLIN, 1);
            assertEquals(1, epoll.await(MILLISECOND));
            epoll.remove(event);
            taken(epoll(1), 2 * MILLISECOND); // the old time runs out
            early += taken(epoll, 20 * MILLISECOND) < 20 * MILLISECOND ? 1 : 0;
        }
        assertTrue(early <= INTERRUPTIONS, "each wait ended early");
    }

    private static long taken(Epoll epoll, long timeoutNanos) {
        long begin = System.nanoTime();
        assertEquals(0, epoll.await(timeoutNanos));
        return System.nanoTime() - begin;
    }

    @Test
    void theEndOfTheTimeDoesNotHideAnEvent() {
        Epoll epoll = epoll(4);
        int timer = number(sys.clocks().timer());
        epoll.add(timer, EPOLLIN, 9);
        sys.clocks().set(timer, MILLISECOND, 0);
        int found = 0;
        long begin = System.nanoTime();
        while (found == 0 && System.nanoTime() - begin < LONG) {
            found = epoll.await(MILLISECOND);
        }
        assertEquals(1, found);
        assertEquals(9, epoll.data(0));
    }

    @Test
    void moreEventsThanRoomComeInTheNextWait() {
        Epoll epoll = epoll(1);
        epoll.add(number(sys.clocks().event(1)), EPOLLIN | EPOLLET, 1);
        epoll.add(number(sys.clocks().event(1)), EPOLLIN | EPOLLET, 2);
        assertEquals(1, epoll.await(LONG));
        long first = epoll.data(0);
        assertEquals(1, epoll.await(LONG));
        assertEquals(3, first + epoll.data(0));
    }

    @Test
    void aPlainFileIsRefusedByValue() {
        Epoll epoll = epoll(1);
        int file = number(sys.files().open(folder.resolve("f").toString(), O_RDWR | O_CREAT, 0600));
        assertFalse(epoll.add(file, EPOLLIN, 0));
    }

    @Test
    void addingTwiceNamesTheCallAndTheError() {
        Epoll epoll = epoll(1);
        int event = number(sys.clocks().event(0));
        epoll.add(event, EPOLLIN, 0);
        SyscallException e = assertThrows(SyscallException.class, () -> epoll.add(event, EPOLLIN, 0));
        assertEquals("epoll_ctl failed: EEXIST (17)", e.getMessage());
        epoll.remove(event);
        assertEquals(
                Errno.ENOENT,
                assertThrows(SyscallException.class, () -> epoll.remove(event)).errno());
    }

    @Test
    void theTimersDataIsRefused() {
        Epoll epoll = epoll(1);
        assertThrows(IllegalArgumentException.class, () -> epoll.add(0, EPOLLIN, Long.MIN_VALUE + 0x7173));
        assertThrows(IllegalArgumentException.class, () -> new Epoll(libc, 0, pwait2));
    }
}
