package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.SI_TIMER;
import static dev.carillon.sys.layout.Constants.SI_USER;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_ERRNO;
import static dev.carillon.sys.layout.SiginfoLayout.SI_PID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_SIGNO;
import static dev.carillon.sys.layout.SiginfoLayout.SI_STATUS;
import static dev.carillon.sys.layout.SiginfoLayout.SI_UID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_VALUE;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads on one loop thread what the forwarder sends there. Each record is the beginning of a siginfo_t, and goes to the sink
 * of its signal. The pipe of the standard signals is read here, those of the others by a {@link RealtimeReader}.
 *
 * <p>Pipes are read in turns ({@link #turn}). What follows from a record runs at the end of the turn, when nothing of the
 * reader is left on the stack: it is on the loop thread then, outside of all callbacks, and needs no way through the loop's
 * queue.
 *
 * <p><b>Threading:</b> the loop's; if that has ended, the thread that closes the loop may close this.
 *
 * <p><b>See:</b> siginfo_t in sigaction(2).
 */
final class SignalReader {
    private static final int RECORD = ForwarderLayout.RECORD;

    /** So many records are read at once. */
    static final int RECORDS = 64;

    /** So many batches are read before other work gets its turn. */
    // r[impl signal.storm]
    static final int BATCHES = 4;

    /** More than a full pipe holds: where more keeps coming, draining has an end. */
    static final int DRAINED_BATCHES = 1024;

    private final EventLoop loop;
    private final Sys sys;
    private final Forwarder forwarder;
    private final ThreadMasks masks;
    private final SelfTest selfTest;
    private final SignalPipe pipe;
    private final NativeBytes bytes;
    private final @Nullable SignalSink[] sinks = new @Nullable SignalSink[Signal.LAST + 1];

    /** Called with the number of a thread that holds a signal back. */
    private final @Nullable IntConsumer[] heldBy = new @Nullable IntConsumer[Signal.LAST + 1];

    private final Queue<Runnable> atEnd = new ArrayDeque<>();
    private final Executor inTurn = this::runInTurn;
    private final Runnable readTurn = this::readTurn;
    private @Nullable Watch watch;
    private boolean isInTurn;

    /** The loop will read what is left, when other work has had its turn. */
    private boolean isPosted;

    private boolean isClosed;

    SignalReader(EventLoop loop, Sys sys, Forwarder forwarder, ThreadMasks masks, SelfTest selfTest, SignalPipe pipe) {
        this.loop = loop;
        this.sys = sys;
        this.forwarder = forwarder;
        this.masks = masks;
        this.selfTest = selfTest;
        this.pipe = pipe;
        bytes = NativeBytes.allocate(sys.libc(), RECORDS * RECORD);
    }

    void open() {
        watch = loop.watch(pipe.readEnd(), this::onReadable);
    }

    void close() {
        isClosed = true;
        if (watch != null) {
            watch.close();
        }
        pipe.giveBack();
        bytes.close();
    }

    /**
     * From now on a signal's records go to a sink.
     *
     * @param holders gets the numbers of threads that hold the signal back, if it is a real-time signal
     */
    void begin(Signal signal, SignalSink sink, @Nullable IntConsumer holders) {
        sinks[signal.number()] = sink;
        heldBy[signal.number()] = holders;
    }

    /** From now on they go nowhere. */
    void end(Signal signal) {
        sinks[signal.number()] = null;
        heldBy[signal.number()] = null;
    }

    /** Where a signal's records go; null: no service here wants them. */
    @Nullable
    SignalSink sinkOf(Signal signal) {
        return sinks[signal.number()];
    }

    /** How many records of it its service takes; if none, the action is run when there is room again. */
    int room(Signal signal, Runnable whenRoom) {
        SignalSink sink = sinks[signal.number()];
        return sink == null ? RECORDS : sink.room(signal, whenRoom);
    }

    /** Reads in a turn, and then runs what follows from what was read. */
    // r[impl signal.deliver] r[impl signal.thread]
    void turn(Runnable reading) {
        isInTurn = true;
        try {
            reading.run();
        } finally {
            endTurn();
        }
    }

    /** What is posted reads this, too: two turns would be without other work between them. */
    private void onReadable() {
        if (!isPosted) {
            turn(readTurn);
        }
    }

    /** Reads what has come for standard signals, and who holds a real-time signal back, in a turn of its own. */
    void readStandard() {
        turn(readTurn);
    }

    private void postedTurn() {
        isPosted = false;
        turn(readTurn);
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
        if (!isMore || isPosted) {
            return;
        }
        try {
            // No new edge will come for what is still there.
            loop.execute(this::postedTurn);
            isPosted = true;
        } catch (RejectedExecutionException loopEnds) {
            // The services, which are closed with the loop, drain the rest.
            drain();
        }
    }

    /** Takes what is there for this loop, at most what the pipe and the kernel's queue hold together. */
    void drain() {
        for (int batch = 0; batch < DRAINED_BATCHES; batch++) {
            if (read(pipe, RECORDS) < RECORDS && !letQueueIn()) {
                return;
            }
        }
    }

    /** If the pipe was full: it has room now, so the carrier may come again. */
    private boolean letQueueIn() {
        if (!pipe.clearFull() || !masks.isHere()) {
            return false;
        }
        masks.unblockCarrierHere();
        return true;
    }

    private void runInTurn(Runnable call) {
        if (isInTurn) {
            atEnd.add(call);
        } else {
            loop.execute(call);
        }
    }

    private void endTurn() {
        isInTurn = false;
        boolean hasReturned = false;
        try {
            for (Runnable call = atEnd.poll(); call != null; call = atEnd.poll()) {
                call.run();
            }
            hasReturned = true;
        } finally {
            if (!hasReturned) {
                runRestLater();
            }
        }
    }

    /** One has thrown, which keeps no other from being called. */
    private void runRestLater() {
        try {
            for (Runnable call = atEnd.peek(); call != null; call = atEnd.peek()) {
                loop.execute(call);
                atEnd.remove();
            }
        } catch (RejectedExecutionException loopEnds) {
            endTurn();
        }
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
        SignalSink sink = sinks[signalNumber];
        if (sink == null) {
            // On its way when the signal was released.
            return;
        }
        int code = info.getInt(at + SI_CODE);
        if (info.getInt(at + SI_SIGNO) != signalNumber) {
            code = ThreadMasks.codeBeforeCarrier(code);
        }
        if (selfTest.takes(signal, code, info, at)) {
            return;
        }
        if (signal.equals(Signal.SIGQUIT) && VmSignals.isAttachRequested(sys.processes())) {
            sys.signals().queue(sys.processes().pid(), signalNumber, forwarder.pass());
        } else {
            sink.arrived(decode(signal, code, info, at), now, inTurn);
        }
    }

    private void onHolder(Signal signal, int holder) {
        IntConsumer reader = heldBy[signal.number()];
        if (reader != null) {
            reader.accept(holder);
        } else if (holder == masks.thread()) {
            masks.unblockHeldHere(signal);
        } else {
            masks.unblockHeldIn(holder, signal);
        }
    }

    /**
     * What a record says: a child's status or a descriptor is found where a value would be, a timer's number and overrun
     * where the sender would be.
     */
    // r[impl signal.siginfo]
    private static SignalInfo decode(Signal signal, int code, ByteBuffer info, int at) {
        int sender = info.getInt(at + SI_PID);
        int user = info.getInt(at + SI_UID);
        if (code == SI_USER && sender == 0 && Forwarder.IS_IN_FIRST_NAMESPACE) {
            // No sender is out of sight here, so the kernel had no memory for it.
            return SignalInfo.of(signal);
        }
        if (code > SI_USER && code < Constants.SI_KERNEL) {
            return decodeOfKernel(signal, code, info, at);
        }
        if (code == SI_TIMER) {
            return new SignalInfo(signal, code, 0, 0, user, 0, info.getLong(at + SI_VALUE));
        }
        return new SignalInfo(signal, code, sender, user, 0, 0, info.getLong(at + SI_VALUE));
    }

    /** A child's state, or the readiness of a descriptor (its band lies where the sender would be). */
    private static SignalInfo decodeOfKernel(Signal signal, int code, ByteBuffer info, int at) {
        int word = info.getInt(at + SI_STATUS);
        return signal.equals(Signal.SIGCHLD)
                ? new SignalInfo(signal, code, info.getInt(at + SI_PID), info.getInt(at + SI_UID), word, 0, 0)
                : new SignalInfo(signal, code, 0, 0, 0, 0, word);
    }
}
