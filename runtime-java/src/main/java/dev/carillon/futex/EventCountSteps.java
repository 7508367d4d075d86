package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.memory.RegionTruncatedException;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * The single steps on the two words of an event count: one access to shared memory each, or one system call. In which
 * order they are made {@link EventCount} knows, and only that; a test goes through all orders in which the steps of
 * several threads can come.
 */
class EventCountSteps {
    static final int BYTES = 2 * Integer.BYTES;

    // The sleep word: how the one who waits wants to be woken. What a hostile peer writes beside these means BOTH.
    static final int NONE = 0;
    static final int SLEEPING = 1;
    static final int LISTENING = 2;
    static final int BOTH = 3;

    /** Always 0; volatile, so that it is read in each turn. */
    private static volatile int lastTurn;

    /** Changes with each signal that found a sleeper; what the kernel compares. */
    private final FutexWord count;

    private final MemoryRegion region;
    private final OrderedBytes bytes;

    /**
     * NONE -> SLEEPING or LISTENING (a waiter, before its second look) -> NONE (a signaller, who then changes the count and
     * wakes all, or rings; or the recovery). A waiter that was killed leaves it behind, which costs one system call, once.
     */
    private final int sleepOffset;

    private final Runnable bell;
    private final boolean wakesAll;

    /** The count as it was when those who sleep were last woken for the bell; racy, which may cost a system call. */
    private volatile int heard;

    EventCountSteps(MemoryRegion region, int offset, WordSleep sleep, Runnable bell) {
        this.region = region;
        this.bell = bell;
        wakesAll = sleep.reachesAll();
        bytes = region.bytes();
        if (offset < 0 || offset > region.size() - BYTES) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + ": an event count has 8 bytes, the region has " + region.size());
        }
        sleepOffset = offset + Integer.BYTES;
        count = new FutexWord(region, offset, sleep);
    }

    int key() {
        return count.getVolatile();
    }

    /** With SLEEPING or LISTENING; BOTH by a signaller that has not told those it has taken. */
    void announce(int how) {
        bytes.putIntVolatile(sleepOffset, how);
        // The look that follows may be plain loads, which must not come before that store.
        VarHandle.fullFence();
    }

    WaitResult await(int key, long deadlineNanos) throws InterruptedException {
        return count.await(key, deadlineNanos);
    }

    boolean hasSleepers() {
        // What was published, with whatever order, comes before this look.
        VarHandle.fullFence();
        try {
            boolean any = bytes.getIntVolatile(sleepOffset) != NONE;
            if (count.canShrink()) {
                passPoll();
            }
            return any;
        } catch (InternalError fault) {
            return !isOfLostPage(fault);
        }
    }

    /**
     * Turns back once in a loop whose end no compiler can know, so that the VM is asked there: compiled code learns of a
     * page that is gone when it asks next, which otherwise is on the way out of the caller.
     */
    private static void passPoll() {
        int turns = 0;
        while (turns <= lastTurn) {
            turns++;
        }
    }

    /** How they want to be woken; NONE if another signaller has taken them. */
    int takeSleepers() {
        return bytes.getAndSetInt(sleepOffset, NONE);
    }

    void increment() {
        count.getAndAdd(1);
    }

    void wake() {
        count.wakeAll();
    }

    /** Whether that wakes those of other processes too, who may have futexes where this one has none. */
    boolean wakesAll() {
        return wakesAll;
    }

    void ring() {
        bell.run();
    }

    /** Whether somebody has signalled since this was last asked. Noted before the wake: what comes after it rings again. */
    boolean wasSignalled() {
        int now = key();
        boolean changed = now != heard;
        heard = now;
        return changed;
    }

    /** Whether the page of the words can go away, which is what the next two methods are for. */
    boolean canBeLost() {
        return count.canShrink();
    }

    /**
     * Does steps of a waiter.
     *
     * @throws RegionTruncatedException if the page is gone
     */
    int orThrow(Supplier<Integer> steps) {
        return region.guarded(steps);
    }

    /** Does steps of a signaller. A waiter learns of a page that is gone by its own look, so none has to be woken. */
    boolean unlessLost(Runnable steps) {
        try {
            return region.guarded(() -> {
                steps.run();
                return true;
            });
        } catch (RegionTruncatedException gone) {
            return false;
        }
    }

    /** Whether a page that is gone is the reason; another reason is thrown again. */
    private boolean isOfLostPage(InternalError fault) {
        return !unlessLost(() -> {
            throw fault;
        });
    }

    @Override
    public String toString() {
        return count.toString();
    }
}
