package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import org.junit.jupiter.api.Test;

/** Sleeping in the kernel. */
final class KernelFutexTest extends FutexContract {
    private static final String IN_NATIVE_CODE = "futex";

    @Override
    WordSleep sleep() {
        return new KernelSleep(Sys.get().futexes());
    }

    /** In a call of the C library, and the system has nothing to run for it. */
    @Override
    boolean isAsleep(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals(IN_NATIVE_CODE)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void oneWakeWakesOne() throws Exception {
        Waiting first = start(() -> word.await(0, Long.MAX_VALUE));
        Waiting second = start(() -> word.await(0, Long.MAX_VALUE));
        awaitAsleep(first);
        awaitAsleep(second);
        Deadline.after(LIMIT).await("one is woken", word::wakeOne);
        Deadline.after(LIMIT).await("one is back", () -> first.task.isDone() || second.task.isDone());
        assertFalse(first.task.isDone() && second.task.isDone());
        Deadline.after(LIMIT).await("the other is woken", word::wakeOne);
        assertEquals(WaitResult.WOKEN, first.result());
        assertEquals(WaitResult.WOKEN, second.result());
    }

    // r[verify futex.errno]
    @Test
    void anErrnoThatNobodyExpectsIsAnException() {
        Sys sys = Sys.get();
        try (MemoryRegion forbidden = MemoryRegion.anonymous(PAGE)) {
            FutexWord unreachable = new FutexWord(forbidden, 0, sleep());
            sys.memory().protect(unreachable.word().address(), PAGE, Constants.PROT_NONE);
            SyscallException thrown =
                    assertThrows(SyscallException.class, () -> sleep().await(unreachable.word(), 0, Long.MAX_VALUE));
            assertTrue(String.valueOf(thrown.getMessage()).startsWith("futex failed: EFAULT (14)"), thrown::toString);
        }
    }

    // r[verify futex.no-lost-wakeup]
    @Test
    void aSleeperThatHasGoneCostsOneWakeAndNoMore() throws Exception {
        EventCountSteps steps = new EventCountSteps(region, 64, sleep());
        EventCount count = new EventCount(steps);
        count.prepare();
        assertTrue(steps.hasSleepers());
        count.signal();
        assertFalse(steps.hasSleepers());
        int key = steps.key();
        count.signal();
        assertEquals(key, steps.key());
        count.prepare();
        count.recover();
        assertFalse(steps.hasSleepers());
    }
}
