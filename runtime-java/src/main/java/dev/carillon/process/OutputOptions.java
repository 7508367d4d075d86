package dev.carillon.process;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the output of a child is collected; {@code OutputOptions.builder().limit(65_536).timeout(Duration.ofSeconds(10)).build()}.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class OutputOptions {
    private static final OutputOptions DEFAULTS = builder().build();

    final int limit;
    final byte @Nullable [] input;
    final @Nullable Duration timeout;
    final Duration grace;
    final Duration linger;

    private OutputOptions(Builder builder) {
        limit = builder.limit;
        input = builder.input;
        timeout = builder.timeout;
        grace = builder.grace;
        linger = builder.linger;
    }

    /** One MiB of each output, no input, no timeout. */
    public static OutputOptions defaults() {
        return DEFAULTS;
    }

    /** The time between SIGTERM and SIGKILL for a child that is ended. */
    public Duration grace() {
        return grace;
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Makes options.
     *
     * <p><b>Threading:</b> one thread at a time.
     */
    public static final class Builder {
        private int limit = 1 << 20;
        private byte @Nullable [] input;
        private @Nullable Duration timeout;
        private Duration grace = Duration.ofSeconds(5);
        private Duration linger = Duration.ofSeconds(1);

        private Builder() {}

        /** How many bytes of each output are kept at most; one MiB if not set. What comes beyond is read and thrown away. */
        public Builder limit(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("limit=" + bytes + ": not negative");
            }
            limit = bytes;
            return this;
        }

        /** What the child reads, and then the end. A child that does not read all of it is no failure. Copied. */
        public Builder input(byte[] bytes) {
            input = Objects.requireNonNull(bytes, "bytes").clone();
            return this;
        }

        /** How long the child may run; without end if not set. Then it is ended, and the future fails. */
        public Builder timeout(Duration time) {
            timeout = Graces.ensureNotNegative("timeout", time);
            return this;
        }

        /** The time between SIGTERM and SIGKILL for a child that is ended; five seconds if not set. */
        public Builder grace(Duration time) {
            grace = Graces.ensureNotNegative(time);
            return this;
        }

        /**
         * How long others may keep the outputs open behind the end of the child, as a daemon does that it has started; a second
         * if not set.
         */
        public Builder linger(Duration time) {
            linger = Graces.ensureNotNegative("linger", time);
            return this;
        }

        /** The options. */
        public OutputOptions build() {
            return new OutputOptions(this);
        }
    }
}
