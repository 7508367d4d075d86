package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.ForwarderCapture;
import dev.carillon.signal.forwarder.SignalCapture;
import dev.carillon.signal.forwarder.SignalLog;
import dev.carillon.signal.forwarder.SignalSink;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Sys;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * By which capture a service gets its signals: what its options say, or the forwarder, and the JVM's handlers where that
 * cannot be used.
 *
 * <p><b>Threading:</b> the questions: any thread; what changes: the loop's.
 */
final class CaptureChoice {
    private final EventLoop loop;
    private final SignalSink sink;
    private final SignalOptions options;
    private final Supplier<Sys> sys;
    private final Supplier<String> service;
    private volatile @Nullable SignalCapture capture;
    private volatile CaptureKind kind;

    /** The JVM's, which keeps what it had when the forwarder became possible again. */
    private volatile @Nullable SignalCapture fallback;

    /** The forwarder could not be used for a cause that may have gone since. */
    private boolean mayImprove;

    private volatile String reason = "nothing is attached yet";

    /**
     * None yet.
     *
     * @param sink gets the signals
     * @param service names it in messages
     */
    CaptureChoice(EventLoop loop, SignalSink sink, SignalOptions options, Supplier<Sys> sys, Supplier<String> service) {
        this.loop = loop;
        this.sink = sink;
        this.options = options;
        this.sys = sys;
        this.service = service;
        kind = options.capture();
    }

    /** Attaches all, or none if it throws; returns those that stay ignored. */
    SignalSet attach(SignalSet signals) {
        SignalCapture chosen = capture;
        if (chosen != null && !mayImprove) {
            return chosen.attach(signals, options.evenIgnored());
        }
        CaptureKind decided = options.capture().decided();
        return switch (decided) {
            case FORWARDER -> use(CaptureKind.FORWARDER, forwarder(), signals, "forced");
            case JVM -> use(CaptureKind.JVM, new JvmCapture(loop, sink), signals, "forced");
            case AUTO -> attachByBest(signals);
        };
    }

    private SignalSet attachByBest(SignalSet signals) {
        SignalCapture before = capture;
        try {
            SignalSet left = use(CaptureKind.FORWARDER, forwarder(), signals, "it works here");
            fallback = before;
            mayImprove = false;
            return left;
        } catch (UnsupportedOperationException | SyscallException why) {
            return attachByJvm(signals, why);
        }
    }

    // r[impl signal.fallback] r[impl signal.transient]
    private SignalSet attachByJvm(SignalSet signals, RuntimeException why) {
        String cause = "the forwarder cannot be used: " + why.getMessage();
        SignalCapture before = capture;
        try {
            SignalSet left = before == null
                    ? use(CaptureKind.JVM, new JvmCapture(loop, sink), signals, cause)
                    : before.attach(signals, options.evenIgnored());
            mayImprove = Failure.isTransient(why);
            SignalLog.LOG.warn(
                    "{} of {} come by the JVM capture, without their sender: {}{}",
                    signals,
                    service.get(),
                    cause,
                    mayImprove ? ". It is tried again when the next signal is attached." : "");
            return left;
        } catch (UnsupportedOperationException neither) {
            throw refusal(why, neither);
        }
    }

    /** What keeps the forwarder away for the moment only is what its caller can mend, whatever the VM lacks. */
    private static RuntimeException refusal(RuntimeException why, UnsupportedOperationException neither) {
        if (Failure.isTransient(why)) {
            RuntimeException cause = why.getCause() instanceof SyscallException call ? call : why;
            cause.addSuppressed(neither);
            return cause;
        }
        neither.addSuppressed(why);
        return neither;
    }

    private SignalCapture forwarder() {
        return new ForwarderCapture(loop, sys, sink);
    }

    private SignalSet use(CaptureKind candidateKind, SignalCapture candidate, SignalSet signals, String why) {
        try {
            SignalSet left = candidate.attach(signals, options.evenIgnored());
            capture = candidate;
            kind = candidateKind;
            reason = why;
            return left;
        } catch (RuntimeException | Error failure) {
            candidate.close();
            throw failure;
        }
    }

    /** A signal on its way to another service. */
    record Handover(CaptureKind kind, SignalCapture.Handover signal) {}

    /** Lets another service take a signal over; null if it is not here, or where it came by is not known to be the best. */
    @Nullable
    Handover handOver(Signal signal) {
        SignalCapture used = capture;
        SignalCapture.Handover handed = used == null ? null : used.handOver(signal);
        return handed == null ? null : new Handover(kind, handed);
    }

    /** Takes over what another service had, by the capture that it came by. */
    void takeOver(Signal signal, Handover handover) {
        SignalCapture used = capture;
        if (used == null) {
            used = handover.kind == CaptureKind.JVM ? new JvmCapture(loop, sink) : forwarder();
            capture = used;
            kind = handover.kind;
            reason = "as the service had it that attached the signal before";
        }
        used.takeOver(signal, handover.signal);
    }

    void detach(SignalSet signals) {
        SignalCapture used = capture;
        SignalCapture other = fallback;
        if (other != null) {
            other.detach(signals);
        }
        if (used != null) {
            used.detach(signals);
        }
    }

    /** After everything was detached, for good. */
    void close() {
        SignalCapture used = capture;
        if (used != null) {
            used.close();
        }
    }

    /** Sends a signal that was detached to this process. */
    void raise(Signal signal) {
        SignalCapture used = capture;
        if (used != null) {
            used.raise(signal);
        }
    }

    /** AUTO or what is forced, until a signal was attached. */
    CaptureKind kind() {
        return kind;
    }

    String reason() {
        return reason;
    }

    /** Attached signals whose handler is not ours any more. */
    SignalSet displaced() {
        SignalCapture used = capture;
        return used == null ? SignalSet.empty() : used.displaced();
    }

    long refused() {
        SignalCapture used = capture;
        return used == null ? 0 : used.refused();
    }
}
