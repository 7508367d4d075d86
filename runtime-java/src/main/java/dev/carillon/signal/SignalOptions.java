package dev.carillon.signal;

import java.time.Duration;
import java.util.Objects;

/**
 * How a service is made; {@code SignalOptions.builder().evenIgnored(true).build()}.
 *
 * @param capture how signals get to the loop
 * @param evenIgnored whether signals that were ignored when the process began are attached nevertheless
 * @param pendingStandard how many records of a standard signal are kept for a later wait, at most; what comes beyond that is
 *     dropped and counted
 * @param pendingRealtime so many records of a real-time signal wait before no more are read; nothing is dropped, but its
 *     sender gets EAGAIN at last, as the queue is full
 * @param unclaimedAfter how long TERM, INT and HUP, if a mere await attached them, may stay pending after the last wait
 *     for them was given up; then they do what they would do without us
 * @param lends whether waits at services that attach by themselves, such as {@link SignalService#shared}, get a copy of what
 *     comes; else they are refused, since the signal belongs to this service alone
 */
public record SignalOptions(
        CaptureKind capture,
        boolean evenIgnored,
        int pendingStandard,
        int pendingRealtime,
        Duration unclaimedAfter,
        boolean lends) {
    /** The default of {@link #evenIgnored}, also for {@link SignalService#shared()}: true or false. */
    static final String EVEN_IGNORED_PROPERTY = "carillon.signals.evenIgnored";

    /** Checks the numbers. */
    public SignalOptions {
        Objects.requireNonNull(capture, "capture");
        if (pendingStandard < 1 || pendingRealtime < 1) {
            throw new IllegalArgumentException("pendingStandard=" + pendingStandard + ", pendingRealtime="
                    + pendingRealtime + ": at least 1, or a signal that comes early is lost");
        }
        if (unclaimedAfter.isNegative()) {
            throw new IllegalArgumentException("unclaimedAfter=" + unclaimedAfter + ": not negative");
        }
    }

    /** What {@link SignalService#attach(dev.carillon.loop.EventLoop, dev.carillon.SignalSet)} uses. */
    public static SignalOptions defaults() {
        return builder().build();
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that begins with these options. */
    public Builder toBuilder() {
        return builder()
                .capture(capture)
                .evenIgnored(evenIgnored)
                .pendingStandard(pendingStandard)
                .pendingRealtime(pendingRealtime)
                .unclaimedAfter(unclaimedAfter)
                .lends(lends);
    }

    /** Collects options. <b>Threading:</b> one thread. */
    public static final class Builder {
        private CaptureKind capture = CaptureKind.AUTO;
        private boolean evenIgnored = Boolean.getBoolean(EVEN_IGNORED_PROPERTY);
        private int pendingStandard = 1024;
        private int pendingRealtime = 1024;
        private Duration unclaimedAfter = Duration.ofSeconds(5);
        private boolean lends;

        private Builder() {}

        /** Default AUTO. */
        public Builder capture(CaptureKind value) {
            capture = value;
            return this;
        }

        /** Default false, or what {@code -Dcarillon.signals.evenIgnored=true} says. */
        public Builder evenIgnored(boolean value) {
            evenIgnored = value;
            return this;
        }

        /** Default 1,024: more than come in one turn of the loop, so nothing is dropped while a waiter waits again at once. */
        public Builder pendingStandard(int value) {
            pendingStandard = value;
            return this;
        }

        /** Default 1,024. */
        public Builder pendingRealtime(int value) {
            pendingRealtime = value;
            return this;
        }

        /** Default 5 seconds. */
        public Builder unclaimedAfter(Duration value) {
            unclaimedAfter = value;
            return this;
        }

        /**
         * Default false. With true the service takes over a signal that a service attached by itself, and such services get
         * copies from then on. A standard signal that comes just before its close, and that it does not handle any more, is
         * raised again.
         */
        public Builder lends(boolean value) {
            lends = value;
            return this;
        }

        /** The options. */
        public SignalOptions build() {
            return new SignalOptions(capture, evenIgnored, pendingStandard, pendingRealtime, unclaimedAfter, lends);
        }
    }
}
