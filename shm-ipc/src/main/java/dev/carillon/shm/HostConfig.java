package dev.carillon.shm;

import dev.carillon.PeerCredentials;
import dev.carillon.loop.EventLoop;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a host does with the guests that come.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class HostConfig {
    private static final Duration RESERVED_FOR = Duration.ofSeconds(10);
    private static final int PENDING = 16;
    private static final int MOST_PENDING = 1024;

    private final @Nullable EventLoop loop;
    private final Duration reserveFor;
    private final Predicate<PeerCredentials> allowed;
    private final Function<PeerCredentials, LinkConfig> links;
    private final GuestHandler handler;
    private final int pending;
    private final boolean inFiles;

    private HostConfig(Builder builder) {
        loop = builder.loop;
        reserveFor = builder.reserveFor;
        allowed = builder.allowed;
        links = builder.links;
        handler = builder.handler;
        pending = builder.pending;
        inFiles = builder.inFiles;
    }

    /** The shared loop; links by {@link LinkConfig#defaults}; guests of this user and of root; 10 seconds to attach. */
    public static HostConfig defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The shared loop is asked for anew each time: one that has ended by an error is replaced. */
    EventLoop loop() {
        return loop == null ? EventLoop.shared() : loop;
    }

    Duration reserveFor() {
        return reserveFor;
    }

    int pending() {
        return pending;
    }

    boolean isInFiles() {
        return inFiles;
    }

    GuestHandler handler() {
        return handler;
    }

    /** What a guest gets that came through the socket, or null if it is refused. */
    @Nullable
    LinkConfig linkFor(PeerCredentials guest) {
        return allowed.test(guest) ? Objects.requireNonNull(links.apply(guest), "linkFor has returned null") : null;
    }

    /** Collects what differs from the defaults. */
    public static final class Builder {
        private @Nullable EventLoop loop;
        private Duration reserveFor = RESERVED_FOR;
        private Predicate<PeerCredentials> allowed = SocketUsers::mayBeOurGuest;
        private Function<PeerCredentials, LinkConfig> links = guest -> LinkConfig.defaults();
        private GuestHandler handler = (link, guest) -> {};
        private int pending = PENDING;
        private boolean inFiles;

        private Builder() {}

        /** Where the host accepts guests, and counts the time of its reservations. Take one that nothing blocks. */
        public Builder loop(EventLoop ownLoop) {
            loop = Objects.requireNonNull(ownLoop, "ownLoop");
            return this;
        }

        /**
         * How long a link waits for its guest, from {@link ShmHost#addPeer}, and again from {@link ShmHost#spawn} on. After
         * that no guest can attach any more, and the peer is gone.
         */
        public Builder reserveFor(Duration atMost) {
            if (atMost.isNegative() || atMost.isZero()) {
                throw new IllegalArgumentException(
                        "reserveFor=" + atMost + ": a guest needs time to attach; take some seconds");
            }
            reserveFor = atMost;
            return this;
        }

        /**
         * Which processes may attach by the socket, instead of those of this user and of root. The permissions of the host's
         * directory come first: they keep other users out who cannot override them.
         *
         * @param test is called on the loop, so it does not block
         */
        public Builder allow(Predicate<PeerCredentials> test) {
            allowed = Objects.requireNonNull(test, "test");
            return this;
        }

        /** The link that a guest gets who comes by the socket. */
        public Builder link(LinkConfig config) {
            Objects.requireNonNull(config, "config");
            links = guest -> config;
            return this;
        }

        /** Decides, on the loop, which link a guest gets who comes by the socket. */
        public Builder linkFor(Function<PeerCredentials, LinkConfig> decision) {
            links = Objects.requireNonNull(decision, "decision");
            return this;
        }

        /** Takes the links of guests who have come by the socket. */
        public Builder onGuest(GuestHandler newHandler) {
            handler = Objects.requireNonNull(newHandler, "newHandler");
            return this;
        }

        /**
         * How many connections may be between their hello and attaching, 1 to 1,024; it is 16 if this is not called. Others
         * wait, and are let in process by process. One process has half of the places at most.
         */
        public Builder pending(int most) {
            if (most < 1 || most > MOST_PENDING) {
                throw new IllegalArgumentException("pending=" + most + ": take 1 to " + MOST_PENDING);
            }
            pending = most;
            return this;
        }

        /**
         * The memory of each link is a file in the host's directory, for programs that look for it there; without this call
         * it is a memfd. A file can be truncated by any process of this user, so each atomic access to it costs a system call
         * of 0.3 us more, and a link whose file was truncated fails.
         */
        public Builder inFiles() {
            inFiles = true;
            return this;
        }

        /** The configuration. */
        public HostConfig build() {
            return new HostConfig(this);
        }
    }
}
