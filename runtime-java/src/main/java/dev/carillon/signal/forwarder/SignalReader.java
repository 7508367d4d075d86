package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.call.Sys;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What reads on one loop thread what the forwarder sends there; all services of the loop share it. It reads the pipe of
 * the standard signals itself, and has a {@link RealtimeReader} for each real-time signal.
 *
 * <p>The loop thread blocks none of the attached signals while this is open, so that there is a thread that takes them
 * even where all others block them, nor the carrier, but while its pipe is full ({@link SignalPipe}).
 *
 * <p><b>Threading:</b> the loop's; if that has ended, the thread that closes the loop may close this.
 */
final class SignalReader {
    private static final int RECORDS = SiginfoReader.RECORDS;
    private static final Map<EventLoop, SignalReader> OPEN = new HashMap<>();

    private final EventLoop loop;
    private final Sys sys;
    private final Forwarder forwarder;
    private final ThreadMasks masks;
    private final SelfTest selfTest;
    private final SiginfoReader records;
    private final SignalPipe pipe;
    private final long maskBefore;
    private final Watch watch;
    private final Watch bell;
    private final long[] refusedSeen = new long[Signal.LAST + 1];
    private final @Nullable RealtimeReader[] realtime = new @Nullable RealtimeReader[Signal.LAST + 1];
    private final Runnable readTurn = this::readTurn;
    private int users;
    private boolean isClosed;

    private SignalReader(EventLoop loop, Sys sys, Forwarder forwarder) {
        this.loop = loop;
        this.sys = sys;
        this.forwarder = forwarder;
        masks = new ThreadMasks(sys, forwarder);
        selfTest = new SelfTest(sys, masks);
        records = new SiginfoReader(loop, sys, forwarder, masks, selfTest);
        pipe = SignalPipe.take(sys);
        // r[impl signal.carrier] r[impl signal.child-mask]
        maskBefore = masks.unblockCarrierHere();
        Watch opened = null;
        try {
            opened = loop.watch(pipe.readEnd(), this::onRecords);
            bell = loop.watch(forwarder.bell(), this::onRefused);
            watch = opened;
        } catch (RuntimeException | Error failure) {
            if (opened != null) {
                opened.close();
            }
            free();
            throw failure;
        }
    }

    /** That of the calling loop thread, opened for its first user. */
    static SignalReader acquire(EventLoop loop, Sys sys, Forwarder forwarder) {
        synchronized (OPEN) {
            SignalReader reader = OPEN.get(loop);
            if (reader == null) {
                reader = new SignalReader(loop, sys, forwarder);
                OPEN.put(loop, reader);
            }
            reader.users++;
            return reader;
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
        watch.close();
        bell.close();
        free();
    }

    private void free() {
        pipe.giveBack();
        records.close();
        masks.restoreHere(maskBefore);
    }

    /** Before a signal is routed here, for this sink; returns its route. */
    long begin(Signal signal, SignalSink sink) {
        refusedSeen[signal.number()] = forwarder.refused(signal);
        long route = signal.isRealtime() ? beginRealtime(signal) : pipe.route();
        records.begin(signal, sink);
        return route;
    }

    private long beginRealtime(Signal signal) {
        RealtimeReader reader = new RealtimeReader(loop, signal, SignalPipe.take(sys, pipe), records, masks);
        realtime[signal.number()] = reader;
        records.onHeld(signal, reader::heldBy);
        return reader.route();
    }

    /** After it is routed here no more. */
    void end(Signal signal) {
        RealtimeReader reader = realtime[signal.number()];
        try {
            if (reader != null) {
                realtime[signal.number()] = null;
                records.onHeld(signal, null);
                reader.close();
            }
        } finally {
            records.end(signal);
        }
    }

    /** Lets attached signals through to the loop's thread. */
    void unblock(SignalSet signals) {
        masks.unblockHere(signals);
    }

    /** Tries the whole way of each, see {@link SelfTest}; returns those that did not come back. */
    SignalSet test(SignalSet signals) {
        return selfTest.run(signals, this::drain, this::onStranger);
    }

    /** One that came beside the test's own. */
    private void onStranger(Signal signal) {
        SignalSink sink = records.sinkOf(signal);
        if (sink != null) {
            sink.arrived(SignalInfo.of(signal), loop.nanoTime(), loop);
        }
    }

    private void drain(SignalSet signals) {
        drain();
        for (Signal signal : signals) {
            RealtimeReader reader = realtime[signal.number()];
            if (reader != null) {
                reader.drain();
            }
        }
    }

    /** Takes what is there for this loop, at most what the pipe and the kernel's queue hold together. */
    void drain() {
        for (int batch = 0; batch < SiginfoReader.DRAINED_BATCHES; batch++) {
            if (records.read(pipe, RECORDS) < RECORDS && !letQueueIn()) {
                return;
            }
        }
    }

    private void onRecords() {
        records.turn(readTurn);
    }

    private void readTurn() {
        boolean isMore = true;
        for (int batch = 0; isMore && batch < SiginfoReader.BATCHES; batch++) {
            if (isClosed) {
                return;
            }
            isMore = records.read(pipe, RECORDS) == RECORDS;
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
        if (!pipe.clearFull() || !masks.isHere()) {
            return false;
        }
        masks.unblockCarrierHere();
        return true;
    }

    /** The kernel would not forward: the signal is delivered without its sender, once for all since the last look. */
    // r[impl signal.standard-coalesce]
    private void onRefused() {
        for (Signal signal : SignalSet.all()) {
            SignalSink sink = records.sinkOf(signal);
            if (!isClosed && sink != null) {
                long refused = forwarder.refused(signal);
                if (refused != refusedSeen[signal.number()]) {
                    refusedSeen[signal.number()] = refused;
                    sink.arrivedWithoutSender(signal, loop.nanoTime());
                }
            }
        }
    }
}
