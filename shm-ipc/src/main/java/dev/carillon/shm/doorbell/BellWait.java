package dev.carillon.shm.doorbell;

import static dev.carillon.sys.layout.Constants.POLLIN;

import dev.carillon.ClosedException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Interrupts;
import dev.carillon.sys.Scratch;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.Sys;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

/**
 * A thread that waits for a bell, together with an eventfd by which an interrupt or a close takes it out of the wait.
 *
 * <p><b>Threading:</b> the reader's; {@link #close} any.
 */
final class BellWait {
    private static final int BELL = 0;
    private static final int WAKER = 1;

    private final Sys sys = Sys.get();
    private final BellEnd end;
    private final Fd waker;
    private final PollSet set;
    private final DrainProgress draining = new DrainProgress(BellEnd.CAPACITY, DrainProgress.MAX_READS, false);
    private Interruption interruption;
    private int wakerNumber;

    // r[impl shm.doorbell.nothing-left]
    BellWait(BellEnd end) {
        this.end = end;
        // The descriptor last: nothing that can fail comes after it.
        set = sys.pollSet(2);
        interruption = new Interruption();
        waker = sys.clocks().event(0);
    }

    /** Waits for what the bell has to say. */
    // r[impl shm.doorbell.wait] r[impl shm.doorbell.drain-order]
    DoorbellEvent until(long deadlineNanos) throws InterruptedException {
        int bell = end.acquire();
        try {
            wakerNumber = waker.acquire();
            try {
                set.set(BELL, bell, end.isSilent() ? 0 : POLLIN);
                set.set(WAKER, wakerNumber, POLLIN);
                return awaitEvent(bell, deadlineNanos);
            } finally {
                waker.release();
            }
        } finally {
            end.release();
        }
    }

    private DoorbellEvent awaitEvent(int bell, long deadlineNanos) throws InterruptedException {
        while (true) {
            boolean over = interruptibly(deadlineNanos) == 0;
            if (!end.isOpen()) {
                throw new ClosedException(end + " was closed while a thread waited for it");
            }
            if (set.found(WAKER) != 0) {
                silenceWaker();
            }
            DoorbellEvent event = end.drain(draining).event();
            if (event != DoorbellEvent.TIMEOUT || over) {
                return event;
            }
            if (end.isSilent()) {
                set.set(BELL, bell, 0);
            }
        }
    }

    private int interruptibly(long deadlineNanos) throws InterruptedException {
        try {
            return interruption.await(deadlineNanos);
        } catch (ClosedByInterruptException interrupt) {
            Thread.interrupted();
            interruption = new Interruption();
            silenceWaker();
            InterruptedException interrupted = new InterruptedException("interrupted while it waited for " + end);
            interrupted.initCause(interrupt);
            throw interrupted;
        } catch (AsynchronousCloseException impossible) {
            throw new IllegalStateException("a wait was closed by something else than an interrupt", impossible);
        }
    }

    /** Newer JDKs may also write for an interrupt when its wait has ended already: the next wait comes here then. */
    private void silenceWaker() {
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        sys.descriptors().read(wakerNumber, scratch.address, Long.BYTES);
    }

    /** Takes the thread out of the wait; the end is closed already. */
    void close() {
        if (waker.isOpen()) {
            wake();
            waker.close();
        }
    }

    private void wake() {
        Scratch scratch = Scratch.ofThisThread(sys.libc());
        scratch.bytes.putLong(0, 1);
        int number;
        try {
            number = waker.acquire();
        } catch (ClosedException byAnother) {
            return;
        }
        try {
            sys.descriptors().write(number, scratch.address, Long.BYTES);
        } finally {
            waker.release();
        }
    }

    /** The JDK closes it from within Thread.interrupt(), between begin and end; then it is used up. */
    private final class Interruption extends AbstractInterruptibleChannel {
        int await(long deadlineNanos) throws AsynchronousCloseException {
            begin();
            try {
                if (Interrupts.COME_LATE) {
                    int found = set.awaitUntil(Interrupts.secondLook(deadlineNanos));
                    if (found != 0) {
                        return found;
                    }
                    begin(); // sees a status that came late, and rings the waker then
                }
                return deadlineNanos == Long.MAX_VALUE ? set.await() : set.awaitUntil(deadlineNanos);
            } finally {
                end(true);
            }
        }

        @Override
        protected void implCloseChannel() {
            wake();
        }
    }
}
