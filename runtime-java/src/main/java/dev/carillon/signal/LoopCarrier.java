package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.SignalfdSiginfoLayout.SIZE;
import static dev.carillon.sys.layout.SignalfdSiginfoLayout.SSI_CODE;
import static dev.carillon.sys.layout.SignalfdSiginfoLayout.SSI_ERRNO;
import static dev.carillon.sys.layout.SignalfdSiginfoLayout.SSI_PID;
import static dev.carillon.sys.layout.SignalfdSiginfoLayout.SSI_PTR;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Reads on one loop thread what the forwarder sends there; all services of the loop share it.
 *
 * <p>The loop thread blocks the carrier while this is open, and none of the attached signals, so that there is a thread
 * that takes them even where all others block them.
 *
 * <p><b>Threading:</b> the loop's; if nobody runs the loop any more, its closer may close this.
 */
final class LoopCarrier {
    private static final int RECORDS = 64;

    /** So many batches are read before other work gets its turn. */
    // r[impl signal.storm]
    private static final int BATCHES = 4;

    private static final int CODE_SHIFT = 0x10000;
    private static final Map<EventLoop, LoopCarrier> OPEN = new HashMap<>();

    private final EventLoop loop;
    private final Sys sys;
    private final Forwarder forwarder;
    private final int tid;
    private final int pid;
    private final int uid;
    private final int cookie;
    private final long probe = ThreadLocalRandom.current().nextLong();
    private final long maskBefore;
    private final NativeBytes bytes;
    private final Fd fd;
    private final int number;
    private final Watch records;
    private final Watch bell;
    private final long[] refusedSeen = new long[Signal.LAST + 1];
    private SignalSet probed = SignalSet.empty();
    private int users;
    private boolean isClosed;

    private LoopCarrier(EventLoop loop, Sys sys, Forwarder forwarder) {
        this.loop = loop;
        this.sys = sys;
        this.forwarder = forwarder;
        tid = sys.processes().threadId();
        pid = sys.processes().pid();
        uid = sys.processes().uid();
        cookie = forwarder.cookie();
        long carrier = SignalSet.of(forwarder.carrier()).toBits();
        bytes = NativeBytes.allocate(sys.libc(), RECORDS * SIZE);
        fd = sys.signals().descriptorOf(carrier);
        number = fd.enter();
        maskBefore = sys.signals().block(carrier);
        Watch opened = null;
        try {
            opened = loop.watch(number, this::onRecords);
            bell = loop.watch(forwarder.bell(), this::onRefused);
            records = opened;
        } catch (RuntimeException failure) {
            if (opened != null) {
                opened.close();
            }
            free();
            throw failure;
        }
    }

    /** That of the calling loop thread, opened for its first user. */
    static LoopCarrier acquire(EventLoop loop, Sys sys, Forwarder forwarder) {
        synchronized (OPEN) {
            LoopCarrier carrier = OPEN.get(loop);
            if (carrier == null) {
                carrier = new LoopCarrier(loop, sys, forwarder);
                OPEN.put(loop, carrier);
            }
            carrier.users++;
            return carrier;
        }
    }

    /** Closes it with its last user, and puts the thread's mask back. */
    void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(loop);
        }
        isClosed = true;
        records.close();
        bell.close();
        free();
    }

    private void free() {
        fd.leave();
        fd.close();
        bytes.close();
        if (isOnItsThread()) {
            sys.signals().setMask(maskBefore);
        }
    }

    private boolean isOnItsThread() {
        return sys.processes().threadId() == tid;
    }

    int tid() {
        return tid;
    }

    /** Before a signal is routed here. */
    void begin(Signal signal) {
        refusedSeen[signal.number()] = forwarder.refused(signal);
    }

    void unblock(SignalSet signals) {
        sys.signals().setMask(sys.signals().mask() & ~signals.toBits());
    }

    /**
     * Sends each signal the whole way, from this thread to itself.
     *
     * @return those that did not come back
     */
    SignalSet test(SignalSet signals) {
        probed = SignalSet.empty();
        for (Signal signal : signals) {
            sys.signals().queueToThread(pid, tid, signal.number(), probe);
        }
        drain();
        return signals.minus(probed);
    }

    /** Takes what the kernel still has for this thread, at most what a full queue holds. */
    void drain() {
        for (int batch = 0; batch < BATCHES * RECORDS && isOnItsThread(); batch++) {
            if (!readBatch(loop.nanoTime())) {
                return;
            }
        }
    }

    // r[impl signal.deliver]
    private void onRecords() {
        long now = loop.nanoTime();
        for (int batch = 0; batch < BATCHES; batch++) {
            if (isClosed || !readBatch(now)) {
                return;
            }
        }
        try {
            // No new edge will come for what is still there.
            loop.execute(this::onRecords);
        } catch (RejectedExecutionException loopEnds) {
            // The services, which are closed with the loop, drain the rest.
            drain();
        }
    }

    /** Whether there may be more. */
    private boolean readBatch(long now) {
        long read = sys.descriptors().read(number, bytes.address(), (long) RECORDS * SIZE);
        if (read == -Errno.EAGAIN) {
            return false;
        }
        for (int at = 0; at < read; at += SIZE) {
            onRecord(at, now);
        }
        return read == (long) RECORDS * SIZE;
    }

    private void onRecord(int at, long now) {
        int signalNumber = bytes.bytes().getInt(at + SSI_ERRNO) ^ cookie;
        SignalDesk desk = signalNumber >= 1 && signalNumber <= Signal.LAST ? SignalOwners.of(signalNumber) : null;
        if (desk == null || desk.loop() != loop) {
            // Not from the forwarder, or on its way when the signal was released.
            return;
        }
        Signal signal = Signal.of(signalNumber);
        int code = bytes.bytes().getInt(at + SSI_CODE) + CODE_SHIFT;
        if (code == SI_QUEUE
                && bytes.bytes().getLong(at + SSI_PTR) == probe
                && bytes.bytes().getInt(at + SSI_PID) == pid) {
            probed = probed.plus(signal);
        } else if (signal.equals(Signal.SIGQUIT) && VmAttach.isRequested(pid, uid)) {
            sys.signals().queue(pid, signalNumber, forwarder.pass());
        } else {
            desk.arrived(SiginfoDecoder.decode(signal, code, bytes.bytes(), at), now);
        }
    }

    /** The kernel would not forward: the signal is delivered without its sender, once for all since the last look. */
    // r[impl signal.standard-coalesce]
    private void onRefused() {
        for (Signal signal : SignalSet.all()) {
            SignalDesk desk = SignalOwners.of(signal.number());
            if (!isClosed && desk != null && desk.loop() == loop) {
                long refused = forwarder.refused(signal);
                if (refused != refusedSeen[signal.number()]) {
                    refusedSeen[signal.number()] = refused;
                    desk.arrivedWithoutSender(signal, loop.nanoTime());
                }
            }
        }
    }
}
