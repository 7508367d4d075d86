package dev.carillon.guards.code;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;

import dev.carillon.guards.tree.Modules;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which package may call which. The table is the rule; {@link Architecture} holds the compiled classes against it.
 *
 * <p>Each package has a row of its own, and a row may stand here before its package does. Only what is not published
 * (samples, benchmarks) has one row for a package and all below it. Columns: the package; the module it lives in; our
 * packages that it may call, beside itself and {@code dev.carillon} ({@code sys*}: that one and those below); what it
 * may touch of others, beside the JDK's
 * everyday packages; what it must not touch although the column before would let it; who may see it where the module
 * system is asked ({@code all}: exported to everyone or not at all; {@code nobody}: never exported).
 */
final class Rooms {
    private static final String TABLE = """
            dev.carillon                  | runtime-java  | -                                  | -                        | - | all
            dev.carillon.sys.layout       | runtime-java  | -                                  | -                        | loggers threads | dev.carillon.shm
            dev.carillon.sys              | runtime-java  | sys.layout                         | jna ffm                  | structures callbacks loggers threads | dev.carillon.shm
            dev.carillon.sys.call         | runtime-java  | sys sys.layout                     | -                        | loggers threads | dev.carillon.shm
            dev.carillon.sys.code         | runtime-java  | sys sys.call sys.layout            | -                        | loggers threads | nobody
            dev.carillon.sys.fault        | runtime-java  | sys sys.call sys.code sys.layout   | -                        | loggers threads | nobody
            dev.carillon.memory           | runtime-java  | sys*                               | -                        | - | all
            dev.carillon.futex            | runtime-java  | sys sys.call memory                 | -                        | - | all
            dev.carillon.loop.queue       | runtime-java  | -                                  | -                        | - | nobody
            dev.carillon.loop.log         | runtime-java  | -                                  | slf4j                    | - | nobody
            dev.carillon.loop.access      | runtime-java  | loop.queue                         | -                        | - | nobody
            dev.carillon.loop             | runtime-java  | loop.access loop.queue loop.log sys sys.call | jfr                      | - | all
            dev.carillon.io.backend       | runtime-java  | loop.access loop.queue sys*        | jfr                      | - | nobody
            dev.carillon.io.epoll         | runtime-java  | io.backend loop.access loop.queue sys* | -                        | - | nobody
            dev.carillon.io               | runtime-java  | io.backend loop loop.access sys*   | -                        | - | all
            dev.carillon.timer            | runtime-java  | loop loop.access loop.queue sys*   | -                        | - | all
            dev.carillon.signal.forwarder | runtime-java  | loop loop.log sys*                 | -                        | - | nobody
            dev.carillon.signal           | runtime-java  | signal.forwarder loop loop.log sys sys.call | signal jfr               | - | all
            dev.carillon.process          | runtime-java  | loop loop.access io sys*           | jfr                      | - | all
            dev.carillon.lifecycle        | runtime-java  | signal io loop loop.log            | -                        | - | all
            dev.carillon.doctor           | runtime-java  | sys* memory loop io signal lifecycle | -                        | - | all
            dev.carillon.shm.doorbell     | shm-ipc       | loop io sys*                       | -                        | - | all
            dev.carillon.shm.fault        | shm-ipc       | -                                  | -                        | - | nobody
            dev.carillon.shm.ring         | shm-ipc       | shm.fault memory                   | -                        | - | nobody
            dev.carillon.shm.slot         | shm-ipc       | shm.fault memory                   | -                        | - | nobody
            dev.carillon.shm.segment      | shm-ipc       | shm.fault memory                   | -                        | - | nobody
            dev.carillon.shm.channel      | shm-ipc       | shm.fault memory                   | -                        | - | nobody
            dev.carillon.shm.audit        | shm-ipc       | shm.fault shm.segment shm.ring shm.slot shm.channel memory | -                        | - | nobody
            dev.carillon.shm.inspect      | shm-ipc       | shm.audit shm.segment shm.slot shm.channel memory lifecycle | -                        | - | nobody
            dev.carillon.shm              | shm-ipc       | shm.fault shm.segment shm.ring shm.slot shm.channel shm.doorbell sys* memory futex loop io process | slf4j jfr                | - | all
            dev.carillon.admin            | admin-http    | lifecycle                          | httpserver tls slf4j     | - | all
            dev.carillon.micrometer       | metrics-micrometer | lifecycle                     | micrometer               | - | all
            dev.carillon.coroutines.local | coroutines-kt | loop                               | kotlin coroutines        | - | all
            dev.carillon.coroutines       | coroutines-kt | coroutines.local loop timer io signal process lifecycle shm shm.doorbell | kotlin coroutines        | - | all
            dev.carillon.test.proc        | carillon-test | -                                  | -                        | - | nobody
            dev.carillon.test             | carillon-test | test.proc memory futex loop io signal process lifecycle | junit                    | - | all
            dev.carillon.samples          | samples       | memory futex loop timer io signal process lifecycle doctor shm shm.doorbell admin coroutines* | slf4j kotlin coroutines buffers httpserver httpclient tls schema | - | all
            dev.carillon.benchmarks       | benchmarks    | sys* memory futex loop loop.queue io signal process lifecycle doctor shm shm.segment shm.ring shm.slot shm.doorbell admin coroutines* test | *                        | - | all
            """;

    /** What a word in the columns of others' packages stands for. */
    private static final Map<String, Set<String>> WORDS = Map.ofEntries(
            entry("jna", Set.of("com.sun.jna")),
            entry("ffm", Set.of("java.lang.foreign")),
            entry("slf4j", Set.of("org.slf4j")),
            entry("jfr", Set.of("jdk.jfr")),
            entry("signal", Set.of("sun.misc.Signal", "sun.misc.SignalHandler")),
            entry("httpserver", Set.of("com.sun.net.httpserver")),
            entry("tls", Set.of("javax.net.ssl", "javax.security.auth.x500")),
            entry("micrometer", Set.of("io.micrometer.core.instrument")),
            entry("httpclient", Set.of("java.net.http")),
            entry("schema", Set.of("com.networknt.schema", "tools.jackson.databind")),
            entry("kotlin", Set.of("kotlin")),
            entry("coroutines", Set.of("kotlinx.coroutines")),
            entry("buffers", Set.of("kotlinx.io")),
            entry("junit", Set.of("org.junit.jupiter.api", "org.junit.platform.commons", "org.opentest4j")),
            entry("structures", Set.of("com.sun.jna.Structure", "com.sun.jna.Library")),
            entry("callbacks", Set.of("com.sun.jna.Callback")),
            entry("loggers", Set.of("org.slf4j", "java.util.logging", "java.lang.System$Logger")),
            entry(
                    "threads",
                    Set.of(
                            "java.util.concurrent.Executors",
                            "java.util.concurrent.ThreadPoolExecutor",
                            "java.util.concurrent.ForkJoinPool",
                            "java.util.concurrent.CompletableFuture",
                            "java.util.Timer")),
            entry("*", Set.of("*")));

    /** Anyone may touch these beside {@code java.*}: annotations that leave no call behind. */
    static final Set<String> FREE = Set.of("org.jspecify", "org.jetbrains.annotations");

    /** Packages of the JDK that are not everyday ones: a room needs a word in the table for them. */
    static final Set<String> GATED =
            Set.of("java.lang.foreign", "java.util.logging", "java.net.http", "java.awt", "java.sql");

    private static final Set<String> NAMES = TABLE.lines()
            .map(line -> line.substring(0, line.indexOf('|')).strip())
            .collect(Collectors.toSet());

    private static final Map<String, Room> ALL = TABLE.lines()
            .map(Rooms::row)
            .collect(Collectors.toMap(Room::name, room -> room, (a, b) -> a, LinkedHashMap::new));

    private Rooms() {}

    /** One row of the table. */
    record Room(String name, String module, Set<String> calls, Set<String> foreign, Set<String> never, String seenBy) {
        /** As people write it: without the prefix that all share. */
        String shortName() {
            return name.replaceFirst("^dev\\.carillon\\.", "");
        }

        boolean mayCall(Room other) {
            return other.name.equals(name) || other.name.equals("dev.carillon") || calls.contains(other.name);
        }

        boolean mayTouch(String type) {
            return !covers(never, type)
                    && (foreign.contains("*")
                            || covers(foreign, type)
                            || covers(FREE, type)
                            || (type.startsWith("java.") && !covers(GATED, type)));
        }
    }

    static Collection<Room> all() {
        return ALL.values();
    }

    static Optional<Room> room(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    /** The full names that a word of the table stands for. */
    static Stream<String> named(String word) {
        var name = "dev.carillon." + word.replace("*", "");
        return word.endsWith("*")
                ? NAMES.stream().filter(other -> other.equals(name) || other.startsWith(name + "."))
                : Stream.of(name);
    }

    /** The room of a package; one of a module that is not published may lie below its room. */
    static Optional<Room> of(String packageName) {
        for (var name = packageName; ; name = name.substring(0, name.lastIndexOf('.'))) {
            var room = ALL.get(name);
            if (room != null && (name.equals(packageName) || !Modules.PUBLISHED.contains(room.module()))) {
                return Optional.of(room);
            }
            if (name.indexOf('.') < 0) {
                return Optional.empty();
            }
        }
    }

    /** True where a type is one of the named ones, nested in one, or lies in a named package. */
    static boolean covers(Set<String> names, String type) {
        return names.stream()
                .anyMatch(name -> type.equals(name) || type.startsWith(name + ".") || type.startsWith(name + "$"));
    }

    private static Room row(String line) {
        var cells = Arrays.stream(line.split("\\|")).map(String::strip).toArray(String[]::new);
        var calls = words(cells[2]).stream()
                .flatMap(Rooms::named)
                .filter(name -> !name.equals(cells[0]))
                .collect(Collectors.toSet());
        return new Room(cells[0], cells[1], calls, names(cells[3]), names(cells[4]), cells[5]);
    }

    private static Set<String> names(String cell) {
        return words(cell).stream()
                .flatMap(word -> requireNonNull(WORDS.get(word), word).stream())
                .collect(Collectors.toSet());
    }

    private static Set<String> words(String cell) {
        return cell.equals("-") ? Set.of() : Set.of(cell.split("\\s+", -1));
    }
}
