package dev.carillon.lifecycle;

import dev.carillon.SignalInfo;
import dev.carillon.SignalInfo.Sender;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells the first Ctrl+C from the second one.
 *
 * <p>States: IDLE; IDLE -> ARMED by an INT; ARMED -> forced by an INT within the window, strictly less; ARMED -> ARMED anew by
 * one after the window.
 *
 * <p><b>Threading:</b> the loop's, but {@link #left}.
 */
// r[impl life.double-tap]
final class DoubleTap {
    /** A terminal signals its whole foreground group, and npm or a shell in it signals its child once more. */
    private static final long SAME_TAP_NANOS = Duration.ofMillis(250).toNanos();

    private final Duration window;
    private final LongSupplier parentPid;
    private volatile boolean isArmed;
    private volatile long armedAt;
    private Source lastSource = Source.OTHER;

    /** What an INT is. */
    enum Tap {
        /** Another one would force the end, if it comes in time. */
        FIRST,
        /** The second one: the process ends at once. */
        FORCE,
        /** The terminal's and the parent's are one. */
        SAME
    }

    private enum Source {
        TERMINAL,
        PARENT,
        OTHER
    }

    /**
     * None has come yet.
     *
     * @param window zero: nothing is ever forced
     */
    DoubleTap(Duration window, LongSupplier parentPid) {
        this.window = window;
        this.parentPid = parentPid;
    }

    /** An INT came. */
    Tap tap(SignalInfo info, long now) {
        Source source = source(info);
        if (isArmed && isSameTap(source, now)) {
            return Tap.SAME;
        }
        lastSource = source;
        if (isArmed && now - armedAt < window.toNanos()) {
            return Tap.FORCE;
        }
        armedAt = now;
        isArmed = true;
        return Tap.FIRST;
    }

    private boolean isSameTap(Source source, long now) {
        boolean areBoth = (source == Source.TERMINAL && lastSource == Source.PARENT)
                || (source == Source.PARENT && lastSource == Source.TERMINAL);
        return areBoth && now - armedAt < SAME_TAP_NANOS;
    }

    private Source source(SignalInfo info) {
        if (info.sender() == Sender.KERNEL) {
            return Source.TERMINAL;
        }
        return info.sender() == Sender.PROCESS && info.pid() == parentPid.getAsLong() ? Source.PARENT : Source.OTHER;
    }

    /** How long a second tap would still force the end. Any thread. */
    Duration left(long now) {
        long left = window.toNanos() - (now - armedAt);
        return isArmed && left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    /** Whether a second tap can ever force the end. */
    boolean canForce() {
        return !window.isZero();
    }

    /** What tells the user of it. */
    String hint() {
        String seconds =
                BigDecimal.valueOf(window.toMillis(), 3).stripTrailingZeros().toPlainString();
        return "Press Ctrl+C again within " + seconds + "s to force quit";
    }
}
