package dev.carillon.futex;

import dev.carillon.sys.Errno;
import dev.carillon.sys.Interrupts;
import dev.carillon.sys.call.FutexCalls;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that sleeps on a word in the kernel, from which an interrupt takes it at once.
 *
 * <p>The JDK calls {@link #implCloseChannel} from within Thread.interrupt(), between begin and end. A wake that comes
 * before the thread sleeps would be lost, so it is repeated until the thread is out of the call. States: OUT -> IN ->
 * OUT; a thread that interrupts wakes while it sees IN.
 *
 * <p><b>Threading:</b> one thread's own; {@link #implCloseChannel} any.
 */
// r[impl futex.interrupt]
final class Sleeper extends AbstractInterruptibleChannel {
    private static final ThreadLocal<@Nullable Sleeper> MINE = new ThreadLocal<>();
    private static final long PAUSE_NANOS = 20_000;
    private static final int NEVER_SLEPT = -Errno.EINTR;

    private final FutexCalls calls;
    private final Thread owner = Thread.currentThread();
    private volatile boolean in;
    private long address;

    private Sleeper(FutexCalls calls) {
        this.calls = calls;
    }

    /** The calling thread's. */
    static Sleeper ofThisThread(FutexCalls calls) {
        Sleeper mine = MINE.get();
        if (mine == null) {
            mine = new Sleeper(calls);
            MINE.set(mine);
        }
        return mine;
    }

    /**
     * Sleeps as {@link FutexCalls#awaitUntil}.
     *
     * @throws InterruptedException if the thread is interrupted; a wake that hit it meanwhile is passed on
     */
    int sleep(long word, int expected, long deadlineNanos) throws InterruptedException {
        address = word;
        int result = NEVER_SLEPT;
        begin();
        try {
            if (Interrupts.COME_LATE) {
                result = sleepUnlessClosed(word, expected, Interrupts.secondLook(deadlineNanos));
                if (result != -Errno.ETIMEDOUT) {
                    return result;
                }
                begin(); // sees a status that came late
            }
            result = sleepUnlessClosed(word, expected, deadlineNanos);
        } finally {
            out(word, result);
        }
        return result;
    }

    /**
     * IN only here, and OUT again before the next {@link #begin}: that takes the lock under which {@link
     * #implCloseChannel} waits until it sees OUT. First IN, then the look whether it was closed: who closes looks the
     * other way round, so one of the two sees the other.
     */
    private int sleepUnlessClosed(long word, int expected, long deadlineNanos) {
        in = true;
        try {
            if (!isOpen()) {
                return NEVER_SLEPT;
            }
            return deadlineNanos == Long.MAX_VALUE
                    ? calls.await(word, expected)
                    : calls.awaitUntil(word, expected, deadlineNanos);
        } finally {
            in = false;
        }
    }

    private void out(long word, int result) throws InterruptedException {
        try {
            end(true);
        } catch (ClosedByInterruptException interrupt) {
            Thread.interrupted();
            // A closed one is used up. On newer JDKs the close may also come later, and must not meet the next wait.
            MINE.remove();
            if (result == 0) {
                // It may have been a wake meant for one waiter, and there may be others.
                calls.wake(word, 1);
            }
            InterruptedException interrupted = new InterruptedException("interrupted while it waited on a word");
            interrupted.initCause(interrupt);
            throw interrupted;
        } catch (AsynchronousCloseException impossible) {
            throw new IllegalStateException("a sleeper was closed by another one than an interrupt", impossible);
        }
    }

    @Override
    protected void implCloseChannel() {
        // The thread itself comes here when it was interrupted before it slept; then it will not.
        while (in && Thread.currentThread() != owner) {
            calls.wake(address, Integer.MAX_VALUE);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
