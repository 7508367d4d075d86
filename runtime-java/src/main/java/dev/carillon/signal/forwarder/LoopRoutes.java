package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import dev.carillon.sys.call.Sys;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ways of signals to one loop; all services of the loop share them. They end at a {@link SignalReader}, and for each
 * real-time signal at a {@link RealtimeReader}.
 *
 * <p>The loop thread blocks none of the attached signals while this is open, so that there is a thread that takes them
 * even where all others block them, nor the carrier, but while its pipe is full ({@link SignalPipe}).
 *
 * <p><b>Threading:</b> the loop's; if that has ended, the thread that closes the loop may close this.
 */
final class LoopRoutes {
    private static final Map<EventLoop, LoopRoutes> OPEN = new HashMap<>();

    private final EventLoop loop;
    private final Sys sys;
    private final Forwarder forwarder;
    private final ThreadMasks masks;
    private final SelfTest selfTest;
    private final SignalPipe pipe;
    private final SignalReader reader;
    private final long maskBefore;
    private final Watch bell;
    private final long[] refusedSeen = new long[Signal.LAST + 1];
    private final @Nullable RealtimeReader[] realtime = new @Nullable RealtimeReader[Signal.LAST + 1];
    private int users;
    private boolean isClosed;

    private LoopRoutes(EventLoop loop, Sys sys, Forwarder forwarder) {
        this.loop = loop;
        this.sys = sys;
        this.forwarder = forwarder;
        masks = new ThreadMasks(sys, forwarder);
        selfTest = new SelfTest(sys, masks);
        pipe = SignalPipe.take(sys);
        reader = new SignalReader(loop, sys, forwarder, masks, selfTest, pipe);
        // r[impl signal.carrier] r[impl signal.child-mask]
        maskBefore = masks.unblockCarrierHere();
        try {
            reader.open();
            bell = loop.watch(forwarder.bell(), this::onRefused);
        } catch (RuntimeException | Error failure) {
            free();
            throw failure;
        }
    }

    /** Those of the calling loop thread, opened for their first user. */
    static LoopRoutes acquire(EventLoop loop, Sys sys, Forwarder forwarder) {
        synchronized (OPEN) {
            LoopRoutes routes = OPEN.get(loop);
            if (routes == null) {
                routes = new LoopRoutes(loop, sys, forwarder);
                OPEN.put(loop, routes);
            }
            routes.users++;
            return routes;
        }
    }

    /** Closes them with their last user, and puts the thread's mask back. */
    void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(loop);
        }
        isClosed = true;
        bell.close();
        free();
    }

    private void free() {
        reader.close();
        masks.restoreHere(maskBefore);
    }

    /** Before a signal is routed here, for this sink; returns its route. */
    long begin(Signal signal, SignalSink sink) {
        refusedSeen[signal.number()] = forwarder.refused(signal);
        if (!signal.isRealtime()) {
            reader.begin(signal, sink, null);
            return pipe.route();
        }
        RealtimeReader ofSignal = new RealtimeReader(loop, signal, SignalPipe.take(sys, pipe), reader, masks);
        realtime[signal.number()] = ofSignal;
        reader.begin(signal, sink, ofSignal::heldBy);
        return ofSignal.route();
    }

    /** After it is routed here no more. */
    void end(Signal signal) {
        RealtimeReader ofSignal = realtime[signal.number()];
        try {
            if (ofSignal != null) {
                realtime[signal.number()] = null;
                ofSignal.close();
            }
        } finally {
            reader.end(signal);
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
        SignalSink sink = reader.sinkOf(signal);
        if (sink != null) {
            sink.arrived(SignalInfo.of(signal), loop.nanoTime(), loop);
        }
    }

    private void drain(SignalSet signals) {
        drain();
        for (Signal signal : signals) {
            RealtimeReader ofSignal = realtime[signal.number()];
            if (ofSignal != null) {
                ofSignal.drain();
            }
        }
    }

    /** Takes what is there for standard signals. */
    void drain() {
        reader.drain();
    }

    /** The kernel would not forward: the signal is delivered without its sender, once for all since the last look. */
    // r[impl signal.standard-coalesce]
    private void onRefused() {
        for (Signal signal : SignalSet.all()) {
            SignalSink sink = reader.sinkOf(signal);
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
