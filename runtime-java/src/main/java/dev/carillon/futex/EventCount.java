package dev.carillon.futex;

import static dev.carillon.futex.EventCountSteps.BOTH;
import static dev.carillon.futex.EventCountSteps.LISTENING;
import static dev.carillon.futex.EventCountSteps.NONE;
import static dev.carillon.futex.EventCountSteps.SLEEPING;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.memory.RegionTruncatedException;
import java.util.function.BooleanSupplier;

/**
 * Lets threads of one side sleep until a condition in shared memory holds, without a lost wakeup and without a system
 * call where no thread sleeps.
 *
 * <p>One per side and condition ("the consumer waits for data"), in eight bytes that both sides share:
 *
 * <pre>{@code
 * while (!ring.hasData()) {                                        // the side that waits
 *     int key = notEmpty.prepare();
 *     if (!ring.hasData()) {
 *         notEmpty.await(key, deadlineNanos);
 *     }
 * }
 *
 * ring.publish(message);                                           // the other
 * notEmpty.signal();
 * }</pre>
 *
 * <p><b>Threading:</b> any number of threads on either side; waits block, and are refused on loop threads in checked
 * mode.
 *
 * <p><b>Order:</b> what was written before {@link #signal} is seen by the look between {@link #prepare} and {@link
 * #await}, or the await does not sleep, or it is woken. docs/futex.md has the steps, {@code EventCountTest} all their
 * orders.
 */
// r[impl futex.no-lost-wakeup]
public final class EventCount {
    /** The bytes that it takes, aligned to 4. */
    public static final int BYTES = EventCountSteps.BYTES;

    private final EventCountSteps steps;

    EventCount(EventCountSteps steps) {
        this.steps = steps;
    }

    /**
     * The event count at an offset; memory that is all zeros is one that was never used.
     *
     * @throws IllegalArgumentException if the offset is no multiple of 4
     * @throws IndexOutOfBoundsException if its {@value #BYTES} bytes are not in the region
     */
    public static EventCount at(MemoryRegion region, int offset) {
        return at(region, offset, () -> {});
    }

    /**
     * As {@link #at(MemoryRegion, int)}, for a waiter that may listen for a bell instead of sleeping.
     *
     * @param bell wakes a waiter that has announced itself with {@link #prepareToListen}; runs in {@link #signal}
     */
    public static EventCount at(MemoryRegion region, int offset, Runnable bell) {
        return new EventCount(new EventCountSteps(region, offset, KernelSleep.orPolling(), bell));
    }

    /**
     * Announces a wait: look at the condition after this, and {@link #await} with what this returns if it fails.
     *
     * @throws RegionTruncatedException if the file of the region was made shorter
     */
    // r[impl futex.truncation]
    public int prepare() {
        return steps.canBeLost() ? steps.orThrow(() -> announce(SLEEPING)) : announce(SLEEPING);
    }

    /**
     * Announces a wait that sleeps elsewhere, such as a loop in epoll: look at the condition after this; if it fails, wait
     * for the bell. One waiter at a time: the last announcement counts.
     *
     * @throws RegionTruncatedException if the file of the region was made shorter
     */
    // r[impl futex.listen]
    public void prepareToListen() {
        if (steps.canBeLost()) {
            steps.orThrow(() -> announce(LISTENING));
        } else {
            announce(LISTENING);
        }
    }

    private int announce(int how) {
        // The key first: a signaller that takes this announcement back changes the count after that, and after the key.
        int key = steps.key();
        steps.announce(how);
        return key;
    }

    /**
     * Sleeps until somebody has signalled since the {@link #prepare} that gave the key.
     *
     * @param deadlineNanos as for {@link FutexWord#await}
     * @throws RegionTruncatedException if the file of the region was made shorter, before or meanwhile
     * @throws InterruptedException if the thread is interrupted
     */
    public WaitResult await(int key, long deadlineNanos) throws InterruptedException {
        return steps.await(key, deadlineNanos);
    }

    /**
     * Waits until a condition holds, with all the steps.
     *
     * @param condition is looked at several times, by this thread; its own accesses to a page that is gone fail as {@link
     *     OrderedBytes} says
     * @param deadlineNanos as for {@link FutexWord#await}
     * @return whether it holds; false if the deadline has passed
     * @throws RegionTruncatedException if the file of the region was made shorter, before or meanwhile
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean awaitUntil(BooleanSupplier condition, long deadlineNanos) throws InterruptedException {
        boolean over = false;
        while (!condition.getAsBoolean()) {
            if (over) {
                return false;
            }
            int key = prepare();
            if (condition.getAsBoolean()) {
                return true;
            }
            over = await(key, deadlineNanos) == WaitResult.TIMED_OUT;
        }
        return true;
    }

    /**
     * To be called after the change was published: wakes all that wait for it, or rings for the one who listens; nearly free
     * if none of them does.
     *
     * <p>On a page that is gone it wakes no thread and throws nothing; but JDK 17 may report that page later, by an
     * InternalError of another call. {@link MemoryRegion#guarded} around a batch of signals takes it.
     *
     * <p>Where it throws, as for want of memory of the heap, it has told nobody, and the next signal does.
     */
    // r[impl futex.truncation]
    public void signal() {
        if (steps.hasSleepers()) {
            if (steps.canBeLost()) {
                steps.unlessLost(this::wakeSleepers);
            } else {
                wakeSleepers();
            }
        }
    }

    private void wakeSleepers() {
        int how = steps.takeSleepers();
        if (how == NONE) {
            return;
        }
        tell(how != LISTENING, how != SLEEPING);
    }

    /** Of those who were taken: where the heap is full they are not told, so the next signal has to find them again. */
    private void tell(boolean wakes, boolean rings) {
        boolean told = false;
        try {
            steps.increment();
            if (wakes) {
                steps.wake();
            }
            if (rings || !steps.wakesAll()) {
                steps.ring();
            }
            told = true;
        } finally {
            if (!told) {
                // Both, since another waiter may have announced itself meanwhile, in another way.
                steps.announce(BOTH);
            }
        }
    }

    /**
     * Brings it in order after a process that used it has died: wakes all and rings, also for those whom it had begun to wake,
     * and forgets the sleepers that died. On a page that is gone it does nothing.
     */
    public void recover() {
        if (steps.canBeLost()) {
            steps.unlessLost(this::wakeAll);
        } else {
            wakeAll();
        }
    }

    private void wakeAll() {
        steps.takeSleepers();
        tell(true, true);
    }

    /**
     * To be called when the bell has rung: wakes those who sleep, if somebody has signalled since this was last called. A process
     * that may not call futex(2) wakes nobody in another one, and rings instead.
     */
    // r[impl futex.fallback]
    public void wakeSignalled() {
        if (steps.canBeLost()) {
            steps.unlessLost(this::wakeIfSignalled);
        } else {
            wakeIfSignalled();
        }
    }

    private void wakeIfSignalled() {
        if (steps.wasSignalled()) {
            steps.wake();
        }
    }

    @Override
    public String toString() {
        return "EventCount[" + steps + "]";
    }
}
