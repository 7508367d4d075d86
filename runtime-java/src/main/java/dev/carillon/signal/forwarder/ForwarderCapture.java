package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.SA_SIGINFO;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Signals through the forwarder, with all that the kernel tells of them. <b>Threading:</b> the loop's. */
public final class ForwarderCapture implements SignalCapture {
    private static final SignalAction IGNORE = new SignalAction(SignalAction.IGNORE, 0, 0);

    private final Sys sys;
    private final Forwarder forwarder;
    private final LoopRoutes routes;
    private final SignalSink sink;
    private final @Nullable SignalAction[] before = new @Nullable SignalAction[Signal.LAST + 1];
    private final long[] refusedBefore = new long[Signal.LAST + 1];

    // Statistics, written by the loop and read by anybody: refusals of what is detached by now, and what is not.
    private long refusedEarlier;
    private volatile long attached;

    /**
     * Opens the ways to a loop; on the loop thread.
     *
     * @throws UnsupportedOperationException if the forwarder cannot be used here
     */
    public ForwarderCapture(EventLoop loop, Supplier<Sys> sys, SignalSink sink) {
        forwarder = Forwarder.get();
        this.sys = sys.get();
        this.sink = sink;
        routes = LoopRoutes.acquire(loop, this.sys, forwarder);
    }

    // r[impl signal.ignored]
    @Override
    public SignalSet attach(SignalSet signals, boolean evenIgnored) {
        SignalSet ignored = SignalSet.empty();
        SignalSet begun = SignalSet.empty();
        try {
            for (Signal signal : signals) {
                SignalAction now = sys.signals().action(signal.number());
                if (now.handler() == SignalAction.IGNORE && !evenIgnored) {
                    ignored = ignored.plus(signal);
                } else {
                    begun = begun.plus(signal);
                    install(signal, now);
                }
            }
            routes.unblock(begun);
            ensureArrives(begun);
            return ignored;
        } catch (RuntimeException | Error failure) {
            detach(begun);
            throw failure;
        }
    }

    private void install(Signal signal, SignalAction now) {
        long route = routes.begin(signal, sink);
        refusedBefore[signal.number()] = forwarder.refused(signal);
        before[signal.number()] = forwarder.follow(signal, now);
        attached |= bit(signal);
        forwarder.route(signal, route);
        SignalAction replaced = sys.signals().setAction(signal.number(), forwarder.action());
        if (replaced.handler() != now.handler()) {
            // Other code was quicker between the two calls.
            before[signal.number()] = forwarder.follow(signal, replaced);
        }
    }

    private void ensureArrives(SignalSet signals) {
        SignalSet missing = routes.test(signals);
        if (!missing.isEmpty()) {
            throw new UnsupportedOperationException("the forwarder's self-test failed: " + missing
                    + " did not come back from the handler to the loop, so a seccomp profile or a tracer keeps it"
                    + " away; use the JVM capture (-Dcarillon.signals=jvm)");
        }
    }

    // r[impl signal.takeover]
    @Override
    public @Nullable Handover handOver(Signal signal) {
        SignalAction saved = before[signal.number()];
        if (saved == null) {
            return null;
        }
        forget(signal);
        return new Handover(saved, () -> {
            // What went this way before the other route was set.
            routes.drain();
            routes.end(signal);
        });
    }

    private void forget(Signal signal) {
        before[signal.number()] = null;
        refusedEarlier += forwarder.refused(signal) - refusedBefore[signal.number()];
        attached &= ~bit(signal);
    }

    @Override
    public void takeOver(Signal signal, Handover handover) {
        long route = routes.begin(signal, sink);
        refusedBefore[signal.number()] = forwarder.refused(signal);
        before[signal.number()] = (SignalAction) handover.saved();
        attached |= bit(signal);
        forwarder.route(signal, route);
        routes.unblock(SignalSet.of(signal));
    }

    // r[impl signal.detach] r[impl signal.exit-untouched]
    @Override
    public void detach(SignalSet signals) {
        for (Signal signal : signals) {
            SignalAction saved = before[signal.number()];
            if (saved == null) {
                continue;
            }
            before[signal.number()] = null;
            putBack(signal, saved);
            forwarder.routeNoMore(signal);
            // What went this way up to here is still the service's.
            routes.drain();
            routes.end(signal);
            forget(signal);
        }
    }

    /**
     * While the route still stands: what comes up to here is ours, and no PREVIOUS that is older than what is put back
     * gets it.
     */
    // r[impl signal.buried]
    private void putBack(Signal signal, SignalAction saved) {
        if (!isOurs(sys.signals().action(signal.number()))) {
            forwarder.bury(signal);
            return;
        }
        // Of a real-time signal some may be pending, blocked by all threads. They were sent to us, so they are dropped.
        SignalAction replaced = sys.signals().setAction(signal.number(), signal.isRealtime() ? IGNORE : saved);
        if (!isOurs(replaced)) {
            // Other code was quicker between the two calls.
            sys.signals().setAction(signal.number(), replaced);
            forwarder.bury(signal);
        } else if (signal.isRealtime()) {
            sys.signals().setAction(signal.number(), saved);
        }
    }

    private boolean isOurs(SignalAction action) {
        return action.handler() == forwarder.action().handler();
    }

    // r[impl signal.displaced]
    @Override
    public SignalSet displaced() {
        SignalSet displaced = SignalSet.empty();
        for (Signal signal : SignalSet.ofBits(attached)) {
            SignalAction now = sys.signals().action(signal.number());
            if (!isOurs(now) || (now.flags() & SA_SIGINFO) == 0) {
                displaced = displaced.plus(signal);
            }
        }
        return displaced;
    }

    @Override
    public void close() {
        routes.drain();
        routes.release();
    }

    @Override
    public void raise(Signal signal) {
        int result = sys.signals().send(sys.processes().pid(), signal.number());
        if (result == -Errno.EAGAIN) {
            throw Failure.of("kill", result, "signal=" + signal);
        }
    }

    @Override
    public long refused() {
        long sum = refusedEarlier;
        for (Signal signal : SignalSet.ofBits(attached)) {
            sum += forwarder.refused(signal) - refusedBefore[signal.number()];
        }
        return sum;
    }

    private static long bit(Signal signal) {
        return SignalSet.of(signal).toBits();
    }
}
