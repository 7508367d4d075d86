package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_ERRNO;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SiginfoLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Unblocks signals: in the thread of one loop by a system call, in any other thread by the carrier, whose handler does it
 * there.
 *
 * <p><b>Threading:</b> the loop's; if that has ended, the thread that closes the loop.
 */
final class ThreadMasks {
    private static final int CODE_SHIFT = 0x10000;

    /** The real-time signals that are read in this process, and so may be held back. */
    private static final AtomicLong READ = new AtomicLong();

    /** A thread that blocks it holds a signal back, or has inherited that. */
    static final long MARK = 1L << (ForwarderLayout.HELD - 1);

    private final Sys sys;
    private final Forwarder forwarder;
    private final int pid;
    private final int uid;
    private final int thread;
    private final long carrierBit;

    /** On the loop thread. */
    ThreadMasks(Sys sys, Forwarder forwarder) {
        this.sys = sys;
        this.forwarder = forwarder;
        pid = sys.processes().pid();
        uid = sys.processes().uid();
        thread = sys.processes().threadId();
        carrierBit = SignalSet.of(forwarder.carrier()).toBits();
    }

    /** The loop's thread, by its number. */
    int thread() {
        return thread;
    }

    /** Whether the caller is the loop's thread. */
    boolean isHere() {
        return sys.processes().threadId() == thread;
    }

    /** The carrier, as a mask. */
    long carrierBit() {
        return carrierBit;
    }

    /** Lets the carrier through to the loop's thread; returns what that blocked before. */
    long unblockCarrierHere() {
        return sys.signals().unblock(carrierBit);
    }

    /** Lets signals through to the loop's thread. */
    void unblockHere(SignalSet signals) {
        sys.signals().unblock(signals.toBits());
    }

    /** Lets a signal through that the loop's thread holds back. */
    void unblockHeldHere(Signal signal) {
        if (isHere()) {
            sys.signals().unblock(held(bit(signal), sys.signals().mask() & READ.get()));
        }
    }

    /** Puts back what the loop's thread blocked before. */
    void restoreHere(long maskBefore) {
        if (isHere()) {
            sys.signals().setMask(maskBefore);
        }
    }

    /** Has another thread let a signal through that it holds back; false if that cannot be queued at the moment. */
    boolean unblockHeldIn(int other, Signal signal) {
        return unblockIn(other, held(bit(signal), READ.get()));
    }

    /** Has a thread whose mask is known let a signal through, if it is held back there because of us; else false. */
    boolean unblockInherited(int other, Signal signal, long mask) {
        long ours = held(bit(signal), mask & READ.get()) & mask;
        if (ours == 0) {
            return false;
        }
        unblockIn(other, ours);
        return true;
    }

    private boolean unblockIn(int other, long signals) {
        return queueToCarrier(other, ForwarderLayout.RELEASE, signals) != -Errno.EAGAIN;
    }

    /** As the handler does it while the pipe is full. Returns 0, -ESRCH or -EAGAIN. */
    int queueToCarrier(int other, int what, long value) {
        int carrier = forwarder.carrier().number();
        try (NativeBytes siginfo = NativeBytes.allocate(sys.libc(), ForwarderLayout.SIGINFO)) {
            ByteBuffer info = siginfo.bytes();
            SiginfoLayout.putQueued(info, 0, carrier, pid, uid, value);
            info.putInt(SI_ERRNO, what);
            info.putInt(SI_CODE, SI_QUEUE - CODE_SHIFT);
            info.putLong(ForwarderLayout.MARK, forwarder.cookie());
            return sys.signals().forwardToThread(pid, other, carrier, siginfo.address());
        }
    }

    /** The code of a record that came by the carrier: a thread may queue to another one with a negative code only. */
    static int codeBeforeCarrier(int code) {
        return code + CODE_SHIFT;
    }

    /** From now on threads may hold this signal back. */
    static void beginReading(Signal signal) {
        READ.getAndUpdate(bits -> bits | bit(signal));
    }

    static void endReading(Signal signal) {
        READ.getAndUpdate(bits -> bits & ~bit(signal));
    }

    /** What is unblocked in a thread that holds this signal back: the mark too, if there is no other to hold back. */
    private static long held(long bit, long others) {
        return (others & ~bit) == 0 ? bit | MARK : bit;
    }

    private static long bit(Signal signal) {
        return SignalSet.of(signal).toBits();
    }
}
