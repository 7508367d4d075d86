package dev.carillon.sys;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Owns one descriptor and closes it exactly once.
 *
 * <p>The kernel gives a closed number to the next descriptor that is opened. So a caller has the number only between
 * {@link #acquire} and {@link #release}, and the last release of a closed one closes the descriptor:
 *
 * <pre>{@code
 * int number = fd.acquire();
 * try {
 *     files.read(number, address, length);
 * } finally {
 *     fd.release();
 * }
 * }</pre>
 *
 * <p>Code that uses it all the time acquires it once and releases it at the end. A call that blocks inside delays the closing: wake
 * it first.
 *
 * <p><b>Threading:</b> all methods, any thread; no lock, no allocation.
 *
 * <p><b>Ownership:</b> the owner of the Fd closes it; nothing else may close the number.
 *
 * <p><b>See:</b> close(2).
 */
public final class Fd implements AutoCloseable {
    private static final VarHandle STATE;
    private static final int CLOSED = 0x8000_0000;
    private static final int DUE = 0x4000_0000;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Fd.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        // Loaded now: where they are needed there may be no memory to load classes.
        StackRoom.ensure();
        OwedCloses.pay();
    }

    private static final int NO_NUMBER = -1;

    /** The calls inside do not block. */
    private static final long PAUSE_NANOS = 10_000;

    private static final long MOST_NANOS = 1_000_000_000;

    private final LibC libc;

    /** Set once, before the state says that it is open. */
    private int number;

    // r[impl sys.fd-once]
    /**
     * States: n (open, n inside) -> n + CLOSED + DUE (closing, n inside) -> CLOSED (closed). The step to CLOSED is taken by
     * exactly one thread, and that thread closes the number. It goes back to CLOSED + DUE only if the VM could not make
     * the call: then the close is owed, see {@link OwedCloses}. One of {@link #ofNext} begins as CLOSED.
     */
    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    /** Where it stands among those whose close is owed, which is OwedCloses' business. */
    @Nullable
    Fd nextOwed;

    boolean isOwed;

    private Fd(LibC libc, int number, int state) {
        this.libc = libc;
        this.number = number;
        this.state = state;
    }

    /** Takes over an open descriptor. */
    public static Fd owning(LibC libc, int number) {
        if (number < 0) {
            throw new IllegalArgumentException("number=" + number + ": a descriptor is not negative");
        }
        return new Fd(libc, number, 0);
    }

    /** As {@link #owning}, for a descriptor that was opened just now: if there is no memory for this, it is closed. */
    // r[impl sys.owned]
    public static Fd opened(LibC libc, int number) {
        try {
            return owning(libc, number);
        } catch (Error noMemory) {
            libc.close(number);
            throw noMemory;
        }
    }

    /**
     * Owners of the descriptors that a call is about to open together, so that nothing is allocated between the call and
     * them: where the heap is full, there may be no memory to close the numbers either.
     */
    // r[impl sys.owned]
    public static Fd[] ofNext(LibC libc, int count) {
        Fd[] owners = new Fd[count];
        for (int i = 0; i < count; i++) {
            owners[i] = new Fd(libc, NO_NUMBER, CLOSED);
        }
        return owners;
    }

    /** Takes over a descriptor that was opened just now; for one of {@link #ofNext}, once. */
    public void own(int opened) {
        number = opened;
        STATE.setRelease(this, 0);
    }

    /** Whether it was not closed yet. */
    public boolean isOpen() {
        return (int) STATE.getAcquire(this) >= 0;
    }

    /**
     * The number, which stays this descriptor's until {@link #release}.
     *
     * @throws ClosedException if it was closed
     */
    // r[impl sys.fd-reuse]
    public int acquire() {
        int before;
        do {
            before = (int) STATE.getAcquire(this);
            if (before < 0) {
                throw new ClosedException("descriptor " + number + " was used after it was closed");
            }
        } while (!STATE.compareAndSet(this, before, before + 1));
        return number;
    }

    /**
     * Ends what {@link #acquire} began, and closes the descriptor if that was asked for meanwhile.
     *
     * @throws IllegalStateException if there was no acquire for it
     * @throws SyscallException as {@link #close}
     */
    public void release() {
        int before;
        do {
            before = (int) STATE.getAcquire(this);
            if ((before & ~(CLOSED | DUE)) == 0) {
                throw new IllegalStateException("release() without acquire(): " + this);
            }
        } while (!STATE.compareAndSet(this, before, before - 1));
        if (before == (CLOSED | DUE) + 1) {
            closeNumber();
        }
    }

    /**
     * Closes the descriptor, now or when the last one inside leaves; a second call does nothing.
     *
     * <p>If there is no memory for the call, the OutOfMemoryError comes when the descriptor counts as closed, and the
     * next close makes up for it, be it a second one of this Fd or one of another. If there is no room on the stack, the
     * StackOverflowError comes when nothing is done yet.
     *
     * @throws SyscallException if the kernel reports a failure; the descriptor is closed nevertheless
     */
    @Override
    public void close() {
        if (!isOpen()) {
            OwedCloses.pay();
            return;
        }
        StackRoom.ensure();
        if (claim()) {
            closeNumber();
        }
    }

    /**
     * Waits until no other caller is inside, and so none can come any more. For one that is inside, has closed it, and gives the number
     * away: a call that is still inside would hit what the number means next. It waits a second at most, since no call inside blocks: what
     * is there longer was left behind by an error of the VM, and makes no call.
     */
    // r[impl sys.fd-given]
    public void awaitAlone() {
        long end = System.nanoTime() + MOST_NANOS;
        while (((int) STATE.getAcquire(this) & ~(CLOSED | DUE)) > 1 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Closes it for those who want to enter; whether the number is to be closed at once. */
    private boolean claim() {
        int before;
        do {
            before = (int) STATE.getAcquire(this);
            if (before < 0) {
                return false;
            }
        } while (!STATE.compareAndSet(this, before, before | CLOSED | DUE));
        return before == 0;
    }

    /**
     * Closes the descriptor as {@link #close} does, but on a thread where nothing else waits for it: for those that
     * another process may have prepared so that the close blocks. It counts as closed when this returns.
     */
    // r[impl sys.close-elsewhere]
    public void closeInBackground() {
        if (!isOpen()) {
            OwedCloses.pay();
            return;
        }
        StackRoom.ensure();
        Runnable closing = this::closeNow;
        if (!claim()) {
            return;
        }
        boolean isHandedOver = false;
        try {
            BackgroundCloser.run(closing);
            isHandedOver = true;
        } finally {
            if (!isHandedOver) {
                // It may have been handed over nevertheless: then the first of both closes it.
                OwedCloses.add(this);
            }
        }
    }

    private void closeNumber() {
        int result = closeNow();
        // EINTR: the kernel has freed the number before it was interrupted; a second try could hit a stranger's.
        if (result < 0 && result != -Errno.EINTR) {
            throw new SyscallException("close", -result, Errno.name(-result), null);
        }
        OwedCloses.pay();
    }

    /**
     * Asks the kernel, unless another thread has. An error of the VM comes before the call is made, never after it: the JDK
     * allocates before it (a slice of the segment for errno), and there was room on the stack.
     */
    int closeNow() {
        if (!STATE.compareAndSet(this, CLOSED | DUE, CLOSED)) {
            return 0;
        }
        boolean isAsked = false;
        try {
            int result = libc.close(number);
            isAsked = true;
            return result;
        } finally {
            if (!isAsked) {
                state = CLOSED | DUE;
                OwedCloses.add(this);
            }
        }
    }

    @Override
    public String toString() {
        return "Fd[" + number + (isOpen() ? "]" : ", closed]");
    }
}
