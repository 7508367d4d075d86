package dev.carillon.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who has it touches the sending half of a link: plain frames, those of channels, and what is said of channels, which any
 * thread may do. It is had for the time of one frame or batch; nobody waits for the peer with it.
 *
 * <p>It costs each frame one compare-and-set. A lock that keeps a queue costs more than the frame itself, and there is hardly
 * ever a queue: who finds it taken looks for a short time, and then every now and then.
 *
 * <p><b>Threading:</b> any thread; one that has it may take it again.
 */
// r[impl shm.senders]
final class SendTurn {
    private static final VarHandle OWNER;

    /** Looks between two pauses. */
    private static final int LOOKS = 200;

    private static final long PAUSE_NANOS = 20_000;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(SendTurn.class, "owner", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Thread owner;

    /** How often the owner has taken it beside the first time. */
    private int again;

    void take() {
        Thread me = Thread.currentThread();
        if (!OWNER.compareAndSet(this, (Thread) null, me)) {
            takeLater(me);
        }
    }

    private void takeLater(Thread me) {
        if (owner == me) {
            again++;
            return;
        }
        int looks = 0;
        while (owner != null || !OWNER.compareAndSet(this, (Thread) null, me)) {
            looks++;
            if (looks % LOOKS == 0) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    void give() {
        if (again > 0) {
            again--;
        } else {
            OWNER.setRelease(this, (Thread) null);
        }
    }

    /** Looks at the sending half, which other threads may be using. */
    boolean look(BooleanSupplier at) {
        take();
        try {
            return at.getAsBoolean();
        } finally {
            give();
        }
    }
}
