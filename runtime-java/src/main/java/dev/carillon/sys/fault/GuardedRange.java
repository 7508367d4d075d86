package dev.carillon.sys.fault;

import org.jspecify.annotations.Nullable;

/**
 * A range of memory of which pages can be lost, and whether the guard has put a page of zeros there.
 *
 * <p>States: OUTSIDE -> GUARDED (if there is a guard, and room) -> OUTSIDE.
 *
 * <p><b>Threading:</b> it is entered before other threads have it, and left when no thread can reach the memory; {@link
 * #isLost} any thread between.
 *
 * <p><b>Ownership:</b> the owner of the mapping leaves it before the addresses are given back.
 */
public final class GuardedRange {
    /** Null: outside. */
    private @Nullable FaultGuard guard;

    private int entry;

    /**
     * Has the guard look after writable memory from now on; no change where there is no guard.
     *
     * @param address where it begins, a whole page
     */
    public void enter(long address, long length) {
        FaultGuard.enter(this, address, length);
    }

    void entered(FaultGuard by, int number) {
        entry = number;
        guard = by;
    }

    /** Whether atomic accesses may be made without a look before them. */
    public boolean isGuarded() {
        return guard != null;
    }

    /** Whether a page of zeros was put there. An atomic access of this thread that met one comes before this. */
    public boolean isLost() {
        FaultGuard by = guard;
        return by != null && by.isLost(entry);
    }

    /** The guard looks after it no more. */
    public void leave() {
        FaultGuard by = guard;
        if (by != null) {
            by.leave(entry);
            guard = null;
        }
    }
}
