package dev.carillon.signal;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.signal.forwarder.SignalLog;
import dev.carillon.sys.StackRoom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which signals one service has.
 *
 * <p><b>Threading:</b> the questions: any thread; what changes: the loop's, but {@link #claim} and {@link #giveUp}.
 */
final class Attachments {
    private final UnaryOperator<SignalSet> own;
    private final Consumer<SignalSet> disown;
    private final CaptureChoice captures;
    private final Supplier<String> service;

    /** Claimed and not given up; some may not have taken effect yet. */
    private final AtomicLong claimed = new AtomicLong();

    /** Of the claimed ones those that have taken effect. */
    private final AtomicLong effective = new AtomicLong();

    private final AtomicLong ignored = new AtomicLong();

    /** Ignored ones that a warning was logged for. */
    private long warned;

    /**
     * None yet.
     *
     * @param own makes all of them the service's own, or none; returns those that were not before
     * @param disown ends that for those that are its own
     * @param service names it in messages
     */
    Attachments(
            UnaryOperator<SignalSet> own,
            Consumer<SignalSet> disown,
            CaptureChoice captures,
            Supplier<String> service) {
        this.own = own;
        this.disown = disown;
        this.captures = captures;
        this.service = service;
    }

    SignalSet attached() {
        return SignalSet.ofBits(claimed.get() & ~ignored.get());
    }

    SignalSet claimed() {
        return SignalSet.ofBits(claimed.get());
    }

    /** Whether all of them are claimed; any thread. */
    private boolean hasClaimed(SignalSet signals) {
        return (signals.toBits() & ~claimed.get()) == 0;
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
            throw new IllegalStateException(missing + " is not attached to " + service.get()
                    + "; name it in SignalService.attach(loop, SignalSet.of(...)), or wait on SignalService.shared(), "
                    + "which attaches by itself");
        }
    }

    /** Null if all of them are claimed, else why they cannot be waited for. */
    @Nullable
    RuntimeException refusal(SignalSet signals) {
        return hasClaimed(signals)
                ? null
                : new ClosedException(signals.minus(claimed()) + " was released from " + service.get());
    }

    /** Attaches what is missing, on the loop thread, so that no other thread waits for that; or says why it cannot. */
    // r[impl signal.implicit]
    @Nullable
    RuntimeException refusalToAttach(SignalSet signals) {
        if ((signals.toBits() & ~(claimed.get() & effective.get())) == 0) {
            return null;
        }
        StackRoom.ensureDeep();
        try {
            claim(signals);
            attach(signals);
            return null;
        } catch (RuntimeException failure) {
            return failure;
        }
    }

    SignalSet ignored() {
        return SignalSet.ofBits(ignored.get());
    }

    /** A wait is in vain: says that once, and how to change it. */
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
                    service.get(),
                    SignalOptions.EVEN_IGNORED_PROPERTY);
        }
    }

    /** Whether it is attached, and that has taken effect. */
    boolean isEffective(Signal signal) {
        return (SignalSet.of(signal).toBits() & effective.get()) != 0;
    }

    /**
     * Makes them the service's; any thread. Returns those that were not before.
     *
     * <p>Under a lock: a second thread that finds them owned already must also find them claimed, or it would believe
     * that nothing is left to be attached.
     */
    synchronized SignalSet claim(SignalSet signals) {
        ForbiddenSignals.check(signals);
        SignalSet fresh = own.apply(signals);
        add(claimed, fresh);
        return fresh;
    }

    private static void add(AtomicLong set, SignalSet signals) {
        set.getAndUpdate(bits -> bits | signals.toBits());
    }

    private static void remove(AtomicLong set, SignalSet signals) {
        set.getAndUpdate(bits -> bits & ~signals.toBits());
    }

    /** They do not belong to this service any more; any thread. */
    synchronized void giveUp(SignalSet signals) {
        remove(claimed, signals);
        remove(effective, signals);
        remove(ignored, signals);
        disown.accept(signals);
    }

    /** Takes effect: all or none; those that were given up meanwhile, or have taken effect, are left alone. */
    // r[impl signal.attach]
    void attach(SignalSet wanted) {
        SignalSet signals = SignalSet.ofBits(wanted.toBits() & claimed.get() & ~effective.get());
        if (signals.isEmpty()) {
            return;
        }
        try {
            SignalSet left = captures.attach(signals);
            add(ignored, left);
            add(effective, signals);
        } catch (RuntimeException | Error failure) {
            giveUp(signals);
            throw failure;
        }
    }

    /** Takes over what was another service's, whose owner this service is by now. */
    void takeOver(Signal signal, CaptureChoice.Handover handover) {
        SignalSet one = SignalSet.of(signal);
        captures.takeOver(signal, handover);
        add(claimed, one);
        add(effective, one);
    }

    /** Forgets what another service takes over. */
    synchronized CaptureChoice.@Nullable Handover handOver(Signal signal) {
        CaptureChoice.Handover handover = isEffective(signal) ? captures.handOver(signal) : null;
        if (handover != null) {
            remove(claimed, SignalSet.of(signal));
            remove(effective, SignalSet.of(signal));
        }
        return handover;
    }

    /** Takes some back. */
    void detach(SignalSet signals) {
        try {
            captures.detach(signals);
        } finally {
            giveUp(signals);
        }
    }

    /** Takes all back, for good. */
    void close() {
        try {
            // Not only what is still claimed: a close may have come between a claim and its effect.
            detach(SignalSet.all());
        } finally {
            captures.close();
        }
    }
}
