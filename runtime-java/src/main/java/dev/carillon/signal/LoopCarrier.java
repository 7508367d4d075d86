package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_ERRNO;
import static dev.carillon.sys.layout.SiginfoLayout.SI_SIGNO;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SiginfoLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

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
    static final int RECORDS = 64;

    /** So many batches are read before other work gets its turn. */
    // r[impl signal.storm]
    static final int BATCHES = 4;

    /** More than a full pipe holds: where more keeps coming, draining has an end. */
    static final int DRAINED_BATCHES = 1024;

    private static final Duration LATER = Duration.ofMillis(10);
    private static final int CODE_SHIFT = 0x10000;
    private static final Map<EventLoop, LoopCarrier> OPEN = new HashMap<>();

    private final EventLoop loop;
    private final Sys sys;
    private final Forwarder forwarder;
    private final int tid;
    private final int pid;
    private final int uid;
    private final long maskBefore;
    private final long carrierBit;
    private final NativeBytes bytes;
    private final SignalPipe pipe;
    private final Watch records;
    private final Watch bell;
    private final long[] refusedSeen = new long[Signal.LAST + 1];
    private final @Nullable RealtimeReader[] realtime = new @Nullable RealtimeReader[Signal.LAST + 1];
    private final SelfTest selfTest;
    private final TurnEnd turnEnd;
    private int users;
    private boolean isClosed;

    private LoopCarrier(EventLoop loop, Sys sys, Forwarder forwarder) {
        this.loop = loop;
        this.sys = sys;
        this.forwarder = forwarder;
        tid = sys.processes().threadId();
        pid = sys.processes().pid();
        uid = sys.processes().uid();
        carrierBit = SignalSet.of(forwarder.carrier()).toBits();
        bytes = NativeBytes.allocate(sys.libc(), RECORDS * RECORD);
        selfTest = new SelfTest(this, sys, bytes);
        turnEnd = new TurnEnd(loop);
        pipe = SignalPipe.take(sys);
        // r[impl signal.carrier] r[impl signal.child-mask]
        maskBefore = sys.signals().unblock(carrierBit);
        Watch opened = null;
        try {
            opened = loop.watch(pipe.readEnd(), this::onRecords);
            bell = loop.watch(forwarder.bell(), this::onRefused);
            records = opened;
        } catch (RuntimeException | Error failure) {
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

    EventLoop loop() {
        return loop;
    }

    /** By which a thread is told to unblock something. */
    Signal signal() {
        return forwarder.carrier();
    }

    TurnEnd turnEnd() {
        return turnEnd;
    }

    /** The loop's, by its number. */
    int thread() {
        return tid;
    }

    /** Before a signal is routed here; returns its route. */
    long begin(Signal signal) {
        refusedSeen[signal.number()] = forwarder.refused(signal);
        if (!signal.isRealtime()) {
            return pipe.route();
        }
        RealtimeReader reader = new RealtimeReader(this, signal, SignalPipe.take(sys, pipe));
        realtime[signal.number()] = reader;
        return reader.route();
    }

    /** After it is routed here no more. */
    void end(Signal signal) {
        RealtimeReader reader = realtime[signal.number()];
        if (reader != null) {
            realtime[signal.number()] = null;
            reader.close();
        }
    }

    void unblock(SignalSet signals) {
        sys.signals().unblock(signals.toBits());
    }

    /** Tries the whole way of each, see {@link SelfTest}. */
    SignalSet test(SignalSet signals) {
        return selfTest.run(signals);
    }

    /** Takes what is there for this loop, at most what the pipe and the kernel's queue hold together. */
    void drain() {
        for (int batch = 0; batch < DRAINED_BATCHES; batch++) {
            if (read(pipe, RECORDS) < RECORDS && !letQueueIn()) {
                return;
            }
        }
    }

    /** The same for a real-time signal. */
    void drain(Signal signal) {
        RealtimeReader reader = realtime[signal.number()];
        if (reader != null) {
            reader.drain();
        }
    }

    // r[impl signal.deliver]
    private void onRecords() {
        turnEnd.begin();
        try {
            readTurn();
        } finally {
            turnEnd.end();
        }
    }

    private void readTurn() {
        boolean isMore = true;
        for (int batch = 0; isMore && batch < BATCHES; batch++) {
            if (isClosed) {
                return;
            }
            isMore = read(pipe, RECORDS) == RECORDS;
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

    /** Reads so many records at most and delivers them; returns how many there were. Fewer have emptied the pipe. */
    int read(SignalPipe from, int atMost) {
        long read = sys.descriptors().read(from.readEnd(), bytes.address(), (long) atMost * RECORD);
        if (read == -Errno.EAGAIN) {
            return 0;
        }
        long now = loop.nanoTime();
        for (int at = 0; at < read; at += RECORD) {
            onRecord(at, now);
        }
        return (int) read / RECORD;
    }

    private void onRecord(int at, long now) {
        ByteBuffer info = bytes.bytes();
        int signalNumber = info.getInt(at + SI_ERRNO);
        if (signalNumber < 1 || signalNumber > Signal.LAST) {
            // Not from the forwarder.
            return;
        }
        Signal signal = Signal.of(signalNumber);
        int holder = info.getInt(at + ForwarderLayout.HOLDER);
        if (holder != 0) {
            onHolder(signal, holder);
        }
        SignalDesk desk = SignalOwners.of(signalNumber);
        if (desk == null || desk.loop() != loop) {
            // On its way when the signal was released.
            return;
        }
        int code = info.getInt(at + SI_CODE);
        if (info.getInt(at + SI_SIGNO) != signalNumber) {
            // It came by the carrier, and a thread may queue to another one with a negative code only.
            code += CODE_SHIFT;
        }
        if (selfTest.takes(signal, code, info, at)) {
            return;
        }
        if (signal.equals(Signal.SIGQUIT) && VmAttach.isRequested(pid, uid)) {
            sys.signals().queue(pid, signalNumber, forwarder.pass());
        } else {
            desk.arrived(SiginfoDecoder.decode(signal, code, info, at), now, turnEnd);
        }
    }

    private void onHolder(Signal signal, int holder) {
        RealtimeReader reader = realtime[signal.number()];
        if (reader != null) {
            reader.heldBy(holder);
        } else if (holder == tid) {
            unblockHere(signal);
        } else {
            unblock(holder, InheritedBlocks.held(signal));
        }
    }

    /** How many records of it its service takes; if none, the action is run when there is room again. */
    int room(Signal signal, Runnable whenRoom) {
        SignalDesk desk = SignalOwners.of(signal.number());
        return desk == null || desk.loop() != loop ? RECORDS : desk.room(signal, whenRoom);
    }

    /** Lets a signal through to the loop thread. */
    void unblockHere(Signal signal) {
        if (isOnItsThread()) {
            sys.signals().unblock(InheritedBlocks.held(signal, sys.signals().mask()));
        }
    }

    /** Has another thread unblock signals; false if that cannot be queued at the moment. */
    boolean unblock(int thread, long signals) {
        return queueToCarrier(thread, ForwarderLayout.RELEASE, signals) != -Errno.EAGAIN;
    }

    /** As the handler does it while the pipe is full. Returns 0, -ESRCH or -EAGAIN. */
    int queueToCarrier(int thread, int what, long value) {
        int carrier = forwarder.carrier().number();
        try (NativeBytes siginfo = NativeBytes.allocate(sys.libc(), ForwarderLayout.SIGINFO)) {
            ByteBuffer info = siginfo.bytes();
            SiginfoLayout.putQueued(info, 0, carrier, pid, uid, value);
            info.putInt(SI_ERRNO, what);
            info.putInt(SI_CODE, SI_QUEUE - CODE_SHIFT);
            info.putLong(ForwarderLayout.MARK, forwarder.cookie());
            return sys.signals().forwardToThread(pid, thread, carrier, siginfo.address());
        }
    }

    /** Some milliseconds later. */
    void later(Runnable action) {
        loop.schedule(LATER, action);
    }

    /** When other work has had its turn; never if the loop ends. */
    void soon(Runnable action) {
        try {
            loop.execute(action);
        } catch (RejectedExecutionException loopEnds) {
            // Its services, and with them this, are closed with it.
            return;
        }
    }

    void arrivedAfterAll(Signal signal, SignalInfo info) {
        SignalDesk desk = SignalOwners.of(signal.number());
        if (desk != null) {
            desk.arrived(info, loop.nanoTime());
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
