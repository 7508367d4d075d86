package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;

import dev.carillon.SyscallException;
import dev.carillon.io.OptionForm.Place;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import java.net.SocketOption;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An option that sockets of some kinds have.
 *
 * @param uses the sockets that have it
 * @param places where the kernel has it
 * @param allowed what a process needs where the kernel says EPERM; empty where it does not
 */
// r[impl io.options]
record KnownOption<T>(
        SocketOption<T> option, OptionForm<T> form, Set<SocketKind.Use> uses, Places places, String allowed) {
    /**
     * Where the kernel has it, by the family of the socket; null where it has not.
     *
     * @param mapped where an IPv6 socket has it for its IPv4 packets
     */
    record Places(
            @Nullable Place four,
            @Nullable Place six,
            @Nullable Place unix,
            @Nullable Place mapped) {
        @Nullable
        Place of(int family) {
            return switch (family) {
                case AF_INET -> four;
                case AF_INET6 -> six;
                default -> unix;
            };
        }
    }

    /** Throws if it cannot have that value. */
    T ensureValue(@Nullable Object value) {
        Objects.requireNonNull(value, () -> "the value of " + option.name());
        if (!option.type().isInstance(value)) {
            throw new IllegalArgumentException("option=" + option.name() + ", value=" + value
                    + ": a value of that option is a " + option.type().getSimpleName());
        }
        T typed = option.type().cast(value);
        String problem = form.problemOf(typed);
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException("option=" + option.name() + ", value=" + value + ": it is " + problem);
        }
        return typed;
    }

    /** Throws if such a socket has no such option; tells where the kernel has it. */
    Place ensureFor(SocketKind kind) {
        Place place = places.of(kind.family());
        if (place == null || !uses.contains(kind.use())) {
            throw new IllegalArgumentException(
                    "option=" + option.name() + " is not for " + kind + ", but for " + owners());
        }
        return place;
    }

    private String owners() {
        String families = places.unix != null ? "any " : places.four != null ? "an IP " : "an IPv6 ";
        return uses.stream().sorted().map(use -> families + use).collect(Collectors.joining(", "));
    }

    void set(int number, SocketKind kind, Object value) {
        Place place = ensureFor(kind);
        T typed = ensureValue(value);
        try {
            form.set(number, place, typed);
            if (places.mapped != null && kind.family() == AF_INET6) {
                form.set(number, places.mapped, typed);
            }
        } catch (SyscallException failure) {
            throw Failure.about(failure, "option=" + option.name() + ", value=" + value, advice(failure.errno()));
        }
    }

    T get(int number, SocketKind kind) {
        Place place = ensureFor(kind);
        try {
            return form.get(number, place);
        } catch (SyscallException failure) {
            throw Failure.about(failure, "option=" + option.name(), advice(failure.errno()));
        }
    }

    private @Nullable String advice(int errno) {
        return switch (errno) {
            case Errno.EPERM -> allowed.isEmpty() ? null : allowed;
            case Errno.ENODEV -> "this machine has no such interface (ip link shows all)";
            case Errno.ENOENT -> "the kernel has none of that name (net.ipv4.tcp_available_congestion_control)";
            case Errno.ENOPROTOOPT, Errno.EOPNOTSUPP -> "this kernel has no such option, or not for this socket";
            case Errno.EINVAL, Errno.EISCONN ->
                "the kernel does not take that value, or not now: some options are for the bind or connect only";
            case Errno.EADDRNOTAVAIL -> "that interface is gone, or has no address of the family of the socket";
            default -> null;
        };
    }
}
