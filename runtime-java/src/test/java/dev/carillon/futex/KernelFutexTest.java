package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import org.junit.jupiter.api.Test;

/** Sleeping in the kernel. */
final class KernelFutexTest extends FutexContract {
    @Override
    WordSleep sleep() {
        return new KernelSleep(Sys.get().futexes());
    }

    @Override
    boolean isAsleep(Thread thread) {
        return Waiting.isInKernel(thread);
    }

    @Test
    void oneWakeWakesOne() throws Exception {
        assertOneWakeWakesOne();
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
        EventCountSteps steps = new EventCountSteps(region, 64, sleep(), () -> {});
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
