package dev.carillon.sys.fault;

import static dev.carillon.sys.layout.Constants.SA_SIGINFO;
import static dev.carillon.sys.layout.Constants.SIGBUS;

import dev.carillon.Availability;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.code.CodePages;
import dev.carillon.sys.layout.Architecture;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The guard of this process: a handler of SIGBUS before the VM's, and a table of the ranges that it looks after.
 *
 * <p>HotSpot survives a load or store that finds no page, but not each atomic access: what it interprets runs in a part of
 * the VM that expects no fault. The handler is installed once and never taken away. Another one that is installed later may
 * call it or not, so from then on no new range gets in; another copy of this library (of a second class loader) is such another
 * one, and calls it for what got in before.
 *
 * <p>{@code -Dcarillon.without=fault_guard} leaves it out.
 *
 * <p><b>Threading:</b> any thread; the table is changed under a lock.
 *
 * <p><b>Order:</b> a range is one store, and the fault of a thread comes after the range that it is in.
 */
// r[impl memory.guard]
public final class FaultGuard {
    /** What the doctor calls it, and the property that leaves it out. */
    public static final String LABEL = "fault_guard";

    private static final Object LOCK = new Object();

    /** What was found out for good; null: not asked yet, or the cause may have gone since. Under that lock. */
    private static @Nullable Availability known;

    /** Set together with {@link #known}, under that lock. */
    private static @Nullable FaultGuard installed;

    private final CodePages pages;

    /** The address of the handler. */
    private final long handler;

    /** Which entries of the table are taken. Under the lock of this object. */
    private final BitSet taken = new BitSet(FaultLayout.ROOM);

    private FaultGuard(CodePages pages, long handler) {
        this.pages = pages;
        this.handler = handler;
    }

    /** Whether it works here, which is found out by installing it. */
    public static Availability availability() {
        synchronized (LOCK) {
            Availability answer = known != null ? known : tryToInstall();
            return installed != null && !installed.isInPlace() ? displaced() : answer;
        }
    }

    private static Availability tryToInstall() {
        try {
            installed = install();
            known = Availability.available(LABEL);
            return known;
        } catch (RuntimeException cause) {
            Availability answer = Availability.unavailable(LABEL, cause);
            if (!Failure.isTransient(cause)) {
                known = answer;
            }
            return answer;
        }
    }

    private static Availability displaced() {
        return Availability.unavailable(
                LABEL,
                new IllegalStateException("other code, or a second copy of this library, has installed a handler of"
                        + " SIGBUS over it"));
    }

    private static FaultGuard install() {
        LibC.availability().ensureAvailability();
        if (List.of(System.getProperty(Feature.WITHOUT, "").split(",")).contains(LABEL)) {
            throw new UnsupportedOperationException("taken away by -D" + Feature.WITHOUT);
        }
        if (!Architecture.isX86()) {
            throw new UnsupportedOperationException(
                    "its machine code is for x86-64, this is " + System.getProperty("os.arch"));
        }
        Sys sys = Sys.get();
        SignalAction before = sys.signals().action(SIGBUS);
        if (!isHandler(before)) {
            throw new UnsupportedOperationException("SIGBUS has no handler of the VM: " + before);
        }
        CodePages pages = new CodePages(sys, FaultCode.LISTING, FaultLayout.PAGE, FaultLayout.TABLE_PAGES);
        boolean isKnown = false;
        try {
            FaultGuard guard = new FaultGuard(pages, pages.addressOf("guard"));
            pages.change(() -> pages.putLong(FaultLayout.PREVIOUS, before.handler()));
            isKnown = true;
            SignalAction meanwhile =
                    sys.signals().setAction(SIGBUS, new SignalAction(guard.handler, before.flags(), before.mask()));
            if (meanwhile.handler() != before.handler() && isHandler(meanwhile)) {
                pages.change(() -> pages.putLong(FaultLayout.PREVIOUS, meanwhile.handler()));
            }
            return guard;
        } finally {
            if (!isKnown) {
                pages.free();
            }
        }
    }

    /** Whether an action is a handler that gets what ours gets. */
    private static boolean isHandler(SignalAction action) {
        return action.handler() != SignalAction.DEFAULT
                && action.handler() != SignalAction.IGNORE
                && (action.flags() & SA_SIGINFO) != 0;
    }

    private boolean isInPlace() {
        return Sys.get().signals().action(SIGBUS).handler() == handler;
    }

    /** Has a range looked after, if this can be done for it. */
    static void enter(GuardedRange range, long address, long length) {
        FaultGuard guard = inPlace();
        if (guard != null) {
            guard.add(range, address, length);
        }
    }

    private static @Nullable FaultGuard inPlace() {
        synchronized (LOCK) {
            return availability().isAvailable() ? installed : null;
        }
    }

    private synchronized void add(GuardedRange range, long address, long length) {
        int number = taken.nextClearBit(0);
        if (number < FaultLayout.ROOM) {
            taken.set(number);
            range.entered(this, number);
            pages.putLong(entry(number) + FaultLayout.LOST, 0);
            pages.putLong(entry(number), range(address, length));
            publishEnd();
        }
    }

    synchronized void leave(int number) {
        pages.putLong(entry(number), 0);
        taken.clear(number);
        publishEnd();
    }

    private void publishEnd() {
        pages.putLong(FaultLayout.END, (long) taken.length() * FaultLayout.ENTRY);
    }

    boolean isLost(int number) {
        return pages.getLong(entry(number) + FaultLayout.LOST) != 0;
    }

    private static int entry(int number) {
        return FaultLayout.RANGES + number * FaultLayout.ENTRY;
    }

    static long range(long address, long length) {
        long count = (length + FaultLayout.PAGE - 1) / FaultLayout.PAGE;
        return address >> FaultLayout.PAGE_SHIFT << FaultLayout.COUNT_BITS | count;
    }
}
