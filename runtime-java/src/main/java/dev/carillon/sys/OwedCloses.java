package dev.carillon.sys;

import org.jspecify.annotations.Nullable;

/**
 * Descriptors that count as closed in this process, but that the VM could not ask the kernel to close.
 *
 * <p>Through java.lang.foreign a call needs some 40 bytes of the heap until the optimizing compiler has compiled it. A
 * close that meets a full heap gives its descriptor here, which takes no memory, and the next close makes the call.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.fd-owed]
final class OwedCloses {
    private static final Object LOCK = new Object();

    /** Written under the lock. */
    private static volatile @Nullable Fd first;

    private OwedCloses() {}

    static void add(Fd owed) {
        synchronized (LOCK) {
            if (!owed.isOwed) {
                owed.isOwed = true;
                owed.nextOwed = first;
                first = owed;
            }
        }
    }

    /** Closes all, or as many as there is memory for; the others stay, and the error says so. */
    static void pay() {
        if (first == null) {
            return;
        }
        StackRoom.ensure();
        Fd owed;
        while ((owed = take()) != null) {
            // An error of this close does not concern the caller, who closes another descriptor.
            owed.closeNow();
        }
    }

    private static @Nullable Fd take() {
        synchronized (LOCK) {
            Fd taken = first;
            if (taken != null) {
                first = taken.nextOwed;
                taken.nextOwed = null;
                taken.isOwed = false;
            }
            return taken;
        }
    }
}
