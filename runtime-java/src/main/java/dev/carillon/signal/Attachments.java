package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which signals one service has, and the capture that brings them.
 *
 * <p><b>Threading:</b> the questions: any thread; what changes: the loop's, but {@link #claim} and {@link #giveUp}.
 */
final class Attachments {
    private final SignalDesk desk;
    private final SignalOptions options;
    private final Supplier<Sys> sys;

    /** Claimed and not given up; some may not have taken effect yet. */
    private final AtomicLong claimed = new AtomicLong();

    /** Of the claimed ones those that have taken effect. */
    private final AtomicLong effective = new AtomicLong();

    private final AtomicLong ignored = new AtomicLong();
    private SignalSet implicit = SignalSet.empty();

    /** Ignored ones that somebody was warned of. */
    private long warned;

    private volatile @Nullable SignalCapture capture;

    /** The JVM's, which keeps what it had when the forwarder became possible again. */
    private volatile @Nullable SignalCapture fallback;

    /** The forwarder could not be used for a cause that may have gone since. */
    private boolean mayImprove;

    private volatile String reason = "nothing is attached yet";

    Attachments(SignalDesk desk, SignalOptions options, Supplier<Sys> sys) {
        this.desk = desk;
        this.options = options;
        this.sys = sys;
    }

    SignalSet attached() {
        return SignalSet.ofBits(claimed.get() & ~ignored.get());
    }

    SignalSet claimed() {
        return SignalSet.ofBits(claimed.get());
    }

    /** Whether all of them are claimed; any thread. */
    boolean hasClaimed(SignalSet signals) {
        return (signals.toBits() & ~claimed.get()) == 0;
    }

    /** Whether all of them are claimed and have taken effect; any thread. */
    boolean has(SignalSet signals) {
        return hasClaimed(signals) && (signals.toBits() & ~effective.get()) == 0;
    }

    /** As {@link #ensureClaimed}, but a thread that is just claiming them is waited for. */
    synchronized void ensureClaimedByNow(SignalSet signals) {
        ensureClaimed(signals);
    }

    /**
     * Returns if all of them are claimed; any thread.
     *
     * @throws IllegalStateException with what to do, if one is not
     */
    void ensureClaimed(SignalSet signals) {
        SignalSet missing = signals.minus(claimed());
        if (!missing.isEmpty()) {
            throw new IllegalStateException(missing + " is not attached to " + desk
                    + "; name it in SignalService.attach(loop, SignalSet.of(...)), or wait on SignalService.shared(), "
                    + "which attaches by itself");
        }
    }

    SignalSet effective() {
        return SignalSet.ofBits(effective.get());
    }

    SignalSet ignored() {
        return SignalSet.ofBits(ignored.get());
    }

    /** Somebody waits for what will not come: that is said once, and how to change it. */
    // r[impl signal.ignored]
    void warnOfIgnored(SignalSet wanted) {
        long inVain = wanted.toBits() & ignored.get() & ~warned;
        if (inVain != 0) {
            warned |= inVain;
            SignalLog.LOG.warn(
                    "{} was ignored when this process began (nohup does that with SIGHUP, and a shell with SIGINT and "
                            + "SIGQUIT for what it starts in the background), so it is ignored still, and whoever waits "
                            + "for it on {} waits in vain. To attach it nevertheless, start with -D{}=true, or attach "
                            + "it with SignalOptions.evenIgnored(true).",
                    SignalSet.ofBits(inVain),
                    desk,
                    SignalOptions.EVEN_IGNORED_PROPERTY);
        }
    }

    boolean isImplicit(Signal signal) {
        return implicit.contains(signal);
    }

    /**
     * Makes them the service's; any thread. Returns those that were not before.
     *
     * <p>Under a lock: a second thread that finds them owned already must also find them claimed, or it would believe
     * that nothing is left to be attached.
     */
    synchronized SignalSet claim(SignalSet signals) {
        Attachable.check(signals);
        SignalSet fresh = SignalOwners.claim(desk, signals);
        add(claimed, fresh);
        return fresh;
    }

    private static void add(AtomicLong set, SignalSet signals) {
        set.getAndUpdate(bits -> bits | signals.toBits());
    }

    private static void remove(AtomicLong set, SignalSet signals) {
        set.getAndUpdate(bits -> bits & ~signals.toBits());
    }

    /** They are nobody's any more; any thread. */
    synchronized void giveUp(SignalSet signals) {
        remove(claimed, signals);
        remove(effective, signals);
        remove(ignored, signals);
        SignalOwners.release(desk, signals);
    }

    /** Takes effect: all or none; those that were given up meanwhile, or have taken effect, are left alone. */
    // r[impl signal.attach]
    void attach(SignalSet wanted, boolean implicitly) {
        SignalSet signals = SignalSet.ofBits(wanted.toBits() & claimed.get() & ~effective.get());
        if (signals.isEmpty()) {
            return;
        }
        try {
            SignalSet left = attachBy(signals);
            add(ignored, left);
            add(effective, signals);
            if (implicitly) {
                implicit = implicit.plus(signals);
            }
        } catch (RuntimeException | Error failure) {
            giveUp(signals);
            throw failure;
        }
    }

    private SignalSet attachBy(SignalSet signals) {
        SignalCapture chosen = capture;
        if (chosen != null && !mayImprove) {
            return chosen.attach(signals, options.evenIgnored());
        }
        CaptureKind decided = options.capture().decided();
        return switch (decided) {
            case FORWARDER -> use(forwarder(), signals, "forced");
            case JVM -> use(new JvmCapture(desk), signals, "forced");
            case AUTO -> attachByBest(signals);
        };
    }

    private SignalSet attachByBest(SignalSet signals) {
        SignalCapture before = capture;
        try {
            SignalSet left = use(forwarder(), signals, "it works here");
            fallback = before;
            mayImprove = false;
            return left;
        } catch (UnsupportedOperationException | SyscallException why) {
            return attachByJvm(signals, why);
        }
    }

    // r[impl signal.fallback] r[impl signal.transient]
    private SignalSet attachByJvm(SignalSet signals, RuntimeException why) {
        String reason = "the forwarder cannot be used: " + why.getMessage();
        SignalCapture before = capture;
        try {
            SignalSet left = before == null
                    ? use(new JvmCapture(desk), signals, reason)
                    : before.attach(signals, options.evenIgnored());
            mayImprove = Forwarder.isTransient(why);
            SignalLog.LOG.warn(
                    "{} of {} come by the JVM capture, without their sender: {}{}",
                    signals,
                    desk,
                    reason,
                    mayImprove ? ". It is tried again when the next signal is attached." : "");
            return left;
        } catch (UnsupportedOperationException neither) {
            throw refusal(why, neither);
        }
    }

    /** What keeps the forwarder away for the moment only is what its caller can mend, whatever the VM lacks. */
    private static RuntimeException refusal(RuntimeException why, UnsupportedOperationException neither) {
        if (Forwarder.isTransient(why)) {
            RuntimeException cause = why.getCause() instanceof SyscallException call ? call : why;
            cause.addSuppressed(neither);
            return cause;
        }
        neither.addSuppressed(why);
        return neither;
    }

    private SignalCapture forwarder() {
        Forwarder forwarder = Forwarder.get();
        return new ForwarderCapture(desk.loop(), sys.get(), forwarder);
    }

    private SignalSet use(SignalCapture candidate, SignalSet signals, String why) {
        try {
            SignalSet left = candidate.attach(signals, options.evenIgnored());
            capture = candidate;
            reason = why;
            return left;
        } catch (RuntimeException | Error failure) {
            candidate.close();
            throw failure;
        }
    }

    /** Takes some back. */
    void detach(SignalSet signals) {
        SignalCapture used = capture;
        SignalCapture other = fallback;
        try {
            if (other != null) {
                other.detach(signals);
            }
            if (used != null) {
                used.detach(signals);
            }
        } finally {
            implicit = implicit.minus(signals);
            giveUp(signals);
        }
    }

    void releaseAndRaise(Signal signal) {
        SignalCapture used = capture;
        desk.release(signal);
        if (used != null) {
            used.raise(signal);
        }
    }

    /** Takes all back, for good. */
    void close() {
        SignalCapture used = capture;
        try {
            // Not only what is still claimed: a close may have come between a claim and its effect.
            detach(SignalSet.all());
        } finally {
            if (used != null) {
                used.close();
            }
        }
    }

    CaptureKind kind() {
        SignalCapture used = capture;
        return used == null ? options.capture() : used.kind();
    }

    /** Attached signals whose handler is not ours any more; any thread. */
    SignalSet displaced() {
        SignalCapture used = capture;
        return used == null ? SignalSet.empty() : used.displaced();
    }

    String reason() {
        return reason;
    }

    long refused() {
        SignalCapture used = capture;
        return used == null ? 0 : used.refused();
    }
}
