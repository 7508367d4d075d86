package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.io.SocketKind.Use;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.net.SocketOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of sockets, each set and read back on each kind of socket that has it, and refused by the others. */
// r[verify io.options]
abstract class SocketOptionsContract extends LoopCase {
    private static final List<Integer> FAMILIES = List.of(AF_INET, AF_INET6, AF_UNIX);

    /** Only root may have these. */
    private static final List<SocketOption<?>> RESERVED =
            List.of(LinuxSocketOptions.SO_MARK, LinuxSocketOptions.IP_TRANSPARENT);

    @TempDir
    Path folder;

    private static List<SocketKind> kinds() {
        List<SocketKind> kinds = new ArrayList<>();
        for (Use use : Use.values()) {
            FAMILIES.forEach(family -> kinds.add(new SocketKind(use, family)));
        }
        return kinds;
    }

    private static boolean has(SocketKind kind, KnownOption<?> known) {
        return known.uses().contains(kind.use()) && known.places().of(kind.family()) != null;
    }

    private static <T> SocketOptions set(SocketOption<T> option, Object value) {
        return SocketOptions.of(option, option.type().cast(value));
    }

    private static <T> void set(OptionSubject subject, SocketOption<T> option, Object value) {
        subject.set(option, option.type().cast(value));
    }

    private static void assertRead(OptionSubject subject, SocketKind kind, SocketOption<?> option, Object value) {
        Object read = subject.get(option);
        String where = option + " of " + kind;
        if (option.equals(SO_RCVBUF) || option.equals(SO_SNDBUF)) {
            assertEquals(2 * (int) value, read, where + ": Linux doubles it");
        } else if (option.equals(LinuxSocketOptions.TCP_DEFER_ACCEPT)) {
            assertTrue(((Duration) read).compareTo((Duration) value) >= 0, where + ": Linux rounds it up, " + read);
        } else if (kind.use() == Use.STREAM && option.equals(LinuxSocketOptions.TCP_MAXSEG)) {
            assertTrue((int) read > 0, where + ": that in use");
        } else if (option.equals(LinuxSocketOptions.TCP_QUICKACK)) {
            assertInstanceOf(Boolean.class, read, where + ": the kernel changes it at any time");
        } else if (kind.use() == Use.STREAM && option.equals(LinuxSocketOptions.SO_INCOMING_CPU)) {
            assertTrue((int) read >= 0, where + ": where its packets come in");
        } else {
            assertEquals(value, read, where);
        }
    }

    private static boolean isRoot() {
        return Sys.get().processes().uid() == 0;
    }

    @Test
    void eachOptionHasASample() {
        Map<SocketOption<?>, Object> samples = OptionSamples.values();
        List<SocketOption<?>> without = new ArrayList<>();
        for (KnownOption<?> known : KnownOptions.all()) {
            if (!samples.containsKey(known.option())) {
                without.add(known.option());
            }
        }
        assertEquals(List.of(), without);
        assertEquals(samples.size(), KnownOptions.all().size());
    }

    /** An option that is set at the place of another one would be read back there, too. */
    @Test
    void eachOptionIsAtThePlaceOfItsName() throws Exception {
        Map<String, String> six = Map.of(
                "IP_TOS", "IPV6_TCLASS", "IP_TTL", "IPV6_UNICAST_HOPS", "IP_MULTICAST_TTL", "IPV6_MULTICAST_HOPS");
        for (KnownOption<?> known : KnownOptions.all()) {
            String name = known.option().name();
            assertPlace(name, known.places().four());
            assertPlace(name, known.places().unix());
            assertPlace(name, known.places().mapped());
            String ofSix = six.getOrDefault(name, name.replaceFirst("^IP_", "IPV6_"));
            assertPlace(ofSix, known.places().six());
        }
    }

    private static void assertPlace(String name, OptionForm.@Nullable Place place) throws ReflectiveOperationException {
        if (place != null) {
            String level = name.startsWith("SO_") ? "SOL_SOCKET" : "IPPROTO_" + name.substring(0, name.indexOf('_'));
            assertEquals(Constants.class.getField(name).getInt(null), place.name(), name);
            assertEquals(Constants.class.getField(level).getInt(null), place.level(), name);
        }
    }

    @Test
    void eachOptionThatIsGivenToABindOrAConnectIsReadBack() {
        EventLoop loop = started();
        for (SocketKind kind : kinds()) {
            OptionSamples.values().forEach((option, value) -> {
                if (has(kind, KnownOptions.of(option)) && (isRoot() || !RESERVED.contains(option))) {
                    try (OptionSubject subject = OptionSubject.open(loop, kind, set(option, value), folder)) {
                        assertRead(subject, kind, option, value);
                    }
                }
            });
        }
    }

    @Test
    void eachOptionOfALivingSocketIsReadBack() {
        EventLoop loop = started();
        for (SocketKind kind : kinds()) {
            try (OptionSubject subject = OptionSubject.open(loop, kind, SocketOptions.none(), folder)) {
                OptionSamples.values().forEach((option, value) -> {
                    boolean isLate = option.equals(LinuxSocketOptions.IPV6_V6ONLY);
                    if (has(kind, KnownOptions.of(option)) && !isLate && (isRoot() || !RESERVED.contains(option))) {
                        set(subject, option, value);
                        assertRead(subject, kind, option, value);
                    }
                });
            }
        }
    }

    @Test
    void aKindOfSocketThatLacksAnOptionRefusesItBeforeThereIsADescriptor() {
        EventLoop loop = started();
        for (SocketKind kind : kinds()) {
            try (OptionSubject subject = OptionSubject.open(loop, kind, SocketOptions.none(), folder)) {
                Map<Integer, String> before = Descriptors.ofProgram();
                OptionSamples.values().forEach((option, value) -> {
                    if (!has(kind, KnownOptions.of(option))) {
                        String why = "option=" + option + " is not for " + kind + ", but for ";
                        assertRefused(why, () -> set(subject, option, value));
                        assertRefused(why, () -> subject.get(option));
                        if (kind.use() != Use.STREAM) {
                            assertRefused(why, () -> OptionSubject.open(loop, kind, set(option, value), folder));
                        } else {
                            SocketOptions options = set(option, value);
                            assertRefused(
                                    why,
                                    () -> StreamSocket.connect(
                                            loop, OptionSubject.any(kind.family(), folder), options));
                        }
                    }
                });
                assertNothingLeft(before);
            }
        }
    }

    /** Another thread may have a file open just now, such as that of a class. */
    private static void assertNothingLeft(Map<Integer, String> before) {
        Deadline.after(LIMIT)
                .await("nothing is left", () -> Descriptors.openedSince(before).isEmpty());
    }

    private static void assertRefused(String why, org.junit.jupiter.api.function.Executable call) {
        assertMessage(assertThrows(IllegalArgumentException.class, call), why);
    }

    @Test
    void aValueThatAnOptionCannotHaveIsRefusedBeforeTheKernelSeesIt() {
        EventLoop loop = started();
        for (SocketKind kind : kinds()) {
            try (OptionSubject subject = OptionSubject.open(loop, kind, SocketOptions.none(), folder)) {
                OptionSamples.refused()
                        .forEach((option, values) -> values.forEach(value -> {
                            String why = "option=" + option + ", value=" + value + ": it is ";
                            assertRefused(why, () -> set(option, value));
                            if (has(kind, KnownOptions.of(option))) {
                                assertRefused(why, () -> set(subject, option, value));
                            }
                        }));
            }
        }
    }

    @Test
    @SuppressWarnings({"unchecked", "NullAway"}) // what a caller does who casts, or knows no annotations
    void whatIsNoOptionAndWhatIsNoValueIsRefused() {
        SocketOption<Object> untyped = (SocketOption<Object>) (SocketOption<?>) SO_RCVBUF;
        assertRefused("a value of that option is a Integer", () -> SocketOptions.of(untyped, "much"));
        assertThrows(NullPointerException.class, () -> SocketOptions.of(SO_RCVBUF, null));
        assertThrows(NullPointerException.class, () -> SocketOptions.of(null, 1));
        SocketOption<Boolean> own = new SocketOption<>() {
            @Override
            public String name() {
                return "TCP_NODELAY";
            }

            @Override
            public Class<Boolean> type() {
                return Boolean.class;
            }
        };
        assertRefused("StandardSocketOptions and LinuxSocketOptions", () -> SocketOptions.of(own, true));
        StreamSocket socket = pair(started()).get(0);
        assertRefused("StandardSocketOptions and LinuxSocketOptions", () -> socket.option(own));
    }

    @Test
    void whatTheKernelRefusesSaysWhyAndLeavesNothing() {
        EventLoop loop = started();
        SocketOptions device = SocketOptions.of(LinuxSocketOptions.SO_BINDTODEVICE, "nonesuch0");
        SocketOptions algorithm = SocketOptions.of(LinuxSocketOptions.TCP_CONGESTION, "nonesuch");
        Map<Integer, String> before = Descriptors.ofProgram();
        OptionEffectsContract.assertErrno(
                "ENODEV", "this machine has no such interface", () -> ServerSocket.bind(loop, localFour(), device));
        OptionEffectsContract.assertErrno(
                "ENODEV", "value=nonesuch0", () -> DatagramSocket.bind(loop, localSix(), device));
        OptionEffectsContract.assertErrno(
                "ENODEV",
                "option=SO_BINDTODEVICE",
                () -> DatagramSocket.connect(loop, OptionEffectsContract.at(9), device));
        OptionEffectsContract.assertErrno(
                "ENODEV", "this machine has no", () -> StreamSocket.connect(loop, OptionEffectsContract.at(9), device));
        OptionEffectsContract.assertErrno(
                "ENOENT", "the kernel has none", () -> ServerSocket.bind(loop, localFour(), algorithm));
        assertNothingLeft(before);
        ServerSocket late = closeLater(ServerSocket.bind(loop, localSix()));
        OptionEffectsContract.assertErrno(
                "EINVAL", "bind or connect only", () -> late.option(LinuxSocketOptions.IPV6_V6ONLY, true));
    }

    @Test
    void aClosedSocketHasNoOptions() {
        StreamSocket socket = pair(started()).get(0);
        get(socket.closeAsync());
        assertThrows(ClosedException.class, () -> socket.option(SO_RCVBUF));
        assertThrows(ClosedException.class, () -> socket.option(SO_RCVBUF, 4096));
    }
}
