package dev.carillon.sys.fault;

import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;
import static dev.carillon.sys.layout.Constants.SIGBUS;
import static dev.carillon.sys.layout.Constants.SIGSEGV;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.Fd;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// r[verify memory.guard]
class FaultGuardTest {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int PAGE = 4_096;

    private final Sys sys = Sys.get();

    @BeforeEach
    void needTheGuard() {
        Assumptions.assumeTrue(FaultGuard.availability().isAvailable(), FaultGuard.availability()::toString);
    }

    /** Pages of a memfd that is empty. */
    private long lostPages(int count) {
        try (Fd memfd = sys.files().memory("lost")) {
            int number = memfd.acquire();
            try {
                return sys.memory().mapShared(number, 0, (long) count * PAGE, PROT_READ | PROT_WRITE);
            } finally {
                memfd.release();
            }
        }
    }

    private long add(long address, long delta) {
        ByteBuffer view = sys.libc().view(address, Long.BYTES).order(ByteOrder.nativeOrder());
        return (long) LONGS.getAndAdd(view, 0, delta);
    }

    private boolean compareAndSet(long address, long value) {
        ByteBuffer view = sys.libc().view(address, Long.BYTES).order(ByteOrder.nativeOrder());
        return LONGS.compareAndSet(view, 0, 0L, value);
    }

    @Test
    void anAtomicAccessFindsAPageOfZerosAndIsTold() {
        long address = lostPages(3);
        GuardedRange range = new GuardedRange();
        assertFalse(range.isGuarded());
        range.enter(address, 3L * PAGE);
        assertTrue(range.isGuarded());
        assertFalse(range.isLost());
        assertTrue(compareAndSet(address + PAGE, 7));
        assertTrue(range.isLost());
        assertEquals(7, add(address + PAGE, 1));
        range.leave();
        assertFalse(range.isGuarded());
        sys.memory().unmap(address, 3L * PAGE);
    }

    @Test
    void aRangeThatIsEnteredWhereAnotherOneWasLostIsNotLost() {
        for (int turn = 0; turn < 3; turn++) {
            long address = lostPages(1);
            GuardedRange range = new GuardedRange();
            range.enter(address, PAGE);
            assertFalse(range.isLost());
            assertTrue(compareAndSet(address, turn));
            assertTrue(range.isLost());
            range.leave();
            range.leave();
            sys.memory().unmap(address, PAGE);
        }
    }

    @Test
    void ofManyRangesTheRightOneIsLost() {
        List<GuardedRange> ranges = new ArrayList<>();
        List<Long> addresses = new ArrayList<>();
        for (int number = 0; number < 1_500; number++) {
            addresses.add(lostPages(1));
            GuardedRange range = new GuardedRange();
            range.enter(addresses.get(number), PAGE);
            ranges.add(range);
        }
        ranges.get(700).leave();
        assertTrue(compareAndSet(addresses.get(1_300), 1));
        for (int number = 0; number < ranges.size(); number++) {
            assertEquals(number == 1_300, ranges.get(number).isLost());
            ranges.get(number).leave();
            sys.memory().unmap(addresses.get(number), PAGE);
        }
    }

    @Test
    void aRangeThatFindsTheTableFullIsNotGuarded() {
        List<GuardedRange> ranges = new ArrayList<>();
        // They are looked at when a page is lost, which no other test does meanwhile.
        for (int number = 0; number < FaultLayout.ROOM; number++) {
            GuardedRange range = new GuardedRange();
            ranges.add(range);
            range.enter(PAGE, PAGE);
            if (!range.isGuarded()) {
                break;
            }
        }
        GuardedRange late = new GuardedRange();
        late.enter(PAGE, PAGE);
        assertFalse(late.isGuarded());
        ranges.forEach(GuardedRange::leave);
        late.enter(PAGE, PAGE);
        assertTrue(late.isGuarded());
        late.leave();
    }

    @Test
    void underTheHandlerOfSomebodyElseNoNewRangeIsGuarded() {
        SignalAction ours = sys.signals().action(SIGBUS);
        GuardedRange before = new GuardedRange();
        before.enter(PAGE, PAGE);
        // Any handler will do that is not called.
        sys.signals().setAction(SIGBUS, new SignalAction(ours.handler() + 1, ours.flags(), ours.mask()));
        GuardedRange late = new GuardedRange();
        try {
            late.enter(PAGE, PAGE);
            assertFalse(FaultGuard.availability().isAvailable());
            assertTrue(FaultGuard.availability().toString().contains("over it"));
        } finally {
            sys.signals().setAction(SIGBUS, ours);
        }
        assertTrue(before.isGuarded());
        assertFalse(late.isGuarded());
        assertTrue(FaultGuard.availability().isAvailable());
        before.leave();
    }

    @Test
    void theHandlerHasTheFlagsAndTheMaskOfTheVms() {
        SignalAction ours = sys.signals().action(SIGBUS);
        SignalAction other = sys.signals().action(SIGSEGV);
        assertEquals(other.flags(), ours.flags());
        assertEquals(other.mask(), ours.mask());
    }
}
