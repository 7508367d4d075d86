package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_ERRNO;
import static dev.carillon.sys.layout.SiginfoLayout.SI_PID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_SIGNO;
import static dev.carillon.sys.layout.SiginfoLayout.SI_VALUE;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SiginfoLayout;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Reads on one loop thread what the forwarder sends there; all services of the loop share it.
 *
 * <p>The loop thread blocks none of the attached signals while this is open, so that there is a thread that takes them
 * even where all others block them, nor the carrier, but while its pipe is full ({@link SignalPipe}).
 *
 * <p><b>Threading:</b> the loop's; if nobody runs the loop any more, its closer may close this.
 */
final class LoopCarrier {
    private static final int RECORD = ForwarderLayout.RECORD;
    private static final int RECORDS = 64;

    /** So many batches are read before other work gets its turn. */
    // r[impl signal.storm]
    private static final int BATCHES = 4;

    /** More than a full pipe holds: where more keeps coming, draining has an end. */
    private static final int DRAINED_BATCHES = 1024;

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
    private final long carrierBit;
    private final NativeBytes bytes;
    private final SignalPipe pipe;
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
        carrierBit = SignalSet.of(forwarder.carrier()).toBits();
        bytes = NativeBytes.allocate(sys.libc(), RECORDS * RECORD);
        pipe = SignalPipe.take(sys);
        // r[impl signal.carrier] r[impl signal.child-mask]
        maskBefore = sys.signals().unblock(carrierBit);
        Watch opened = null;
        try {
            opened = loop.watch(pipe.readEnd(), this::onRecords);
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
        pipe.giveBack();
        bytes.close();
        if (isOnItsThread()) {
            sys.signals().setMask(maskBefore);
        }
    }

    private boolean isOnItsThread() {
        return sys.processes().threadId() == tid;
    }

    /** For the forwarder, to be told of each signal. */
    long route() {
        return pipe.route();
    }

    /** Before a signal is routed here. */
    void begin(Signal signal) {
        refusedSeen[signal.number()] = forwarder.refused(signal);
    }

    void unblock(SignalSet signals) {
        sys.signals().unblock(signals.toBits());
    }

    /**
     * Sends each signal the whole way, from this thread to itself, and one of them by the carrier.
     *
     * @return those that did not come back
     */
    SignalSet test(SignalSet signals) {
        probed = SignalSet.empty();
        for (Signal signal : signals) {
            sys.signals().queueToThread(pid, tid, signal.number(), probe);
        }
        drain();
        SignalSet missing = signals.minus(probed);
        if (!missing.isEmpty() || signals.isEmpty()) {
            return missing;
        }
        Signal any = signals.iterator().next();
        probed = SignalSet.empty();
        queueToCarrier(any);
        drain();
        return SignalSet.of(any).minus(probed);
    }

    /** As the handler does it while the pipe is full. */
    private void queueToCarrier(Signal signal) {
        int carrier = forwarder.carrier().number();
        ByteBuffer info = bytes.bytes();
        SiginfoLayout.putQueued(info, 0, carrier, pid, uid, probe);
        info.putInt(SI_ERRNO, signal.number() ^ cookie);
        info.putInt(SI_CODE, SI_QUEUE - CODE_SHIFT);
        sys.signals().forwardToThread(pid, tid, carrier, bytes.address());
    }

    /** Takes what is there for this loop, at most what the pipe and the kernel's queue hold together. */
    void drain() {
        for (int batch = 0; batch < DRAINED_BATCHES; batch++) {
            if (!readBatch(loop.nanoTime()) && !letQueueIn()) {
                return;
            }
        }
    }

    // r[impl signal.deliver]
    private void onRecords() {
        long now = loop.nanoTime();
        boolean isMore = true;
        for (int batch = 0; isMore && batch < BATCHES; batch++) {
            if (isClosed) {
                return;
            }
            isMore = readBatch(now);
        }
        // In each turn, and not when all has been read: what the queue may bring is then no more than was read.
        letQueueIn();
        if (!isMore) {
            return;
        }
        try {
            // No new edge will come for what is still there.
            loop.execute(this::onRecords);
        } catch (RejectedExecutionException loopEnds) {
            // The services, which are closed with the loop, drain the rest.
            drain();
        }
    }

    /** If the pipe was full: it has room now, so the carrier may come again. */
    private boolean letQueueIn() {
        if (!pipe.clearFull() || !isOnItsThread()) {
            return false;
        }
        sys.signals().unblock(carrierBit);
        return true;
    }

    /** Whether there may be more: a short read has emptied the pipe. */
    private boolean readBatch(long now) {
        long read = sys.descriptors().read(pipe.readEnd(), bytes.address(), (long) RECORDS * RECORD);
        if (read == -Errno.EAGAIN) {
            return false;
        }
        for (int at = 0; at < read; at += RECORD) {
            onRecord(at, now);
        }
        return read == (long) RECORDS * RECORD;
    }

    private void onRecord(int at, long now) {
        ByteBuffer info = bytes.bytes();
        int signalNumber = info.getInt(at + SI_ERRNO) ^ cookie;
        SignalDesk desk = signalNumber >= 1 && signalNumber <= Signal.LAST ? SignalOwners.of(signalNumber) : null;
        if (desk == null || desk.loop() != loop) {
            // Not from the forwarder, or on its way when the signal was released.
            return;
        }
        Signal signal = Signal.of(signalNumber);
        int code = info.getInt(at + SI_CODE);
        if (info.getInt(at + SI_SIGNO) != signalNumber) {
            // It came by the carrier, and a thread may queue to another one with a negative code only.
            code += CODE_SHIFT;
        }
        if (code == SI_QUEUE && info.getLong(at + SI_VALUE) == probe && info.getInt(at + SI_PID) == pid) {
            probed = probed.plus(signal);
        } else if (signal.equals(Signal.SIGQUIT) && VmAttach.isRequested(pid, uid)) {
            sys.signals().queue(pid, signalNumber, forwarder.pass());
        } else {
            desk.arrived(SiginfoDecoder.decode(signal, code, info, at), now);
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
