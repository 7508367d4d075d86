package dev.carillon.guards.code;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which package may call whom. The table is the rule; {@link Architecture} holds the compiled classes against it.
 *
 * <p>Columns: the room (its sub-packages belong to it, except that {@code dev.carillon} has none); the module it lives
 * in; our rooms that it may call, beside itself and {@code dev.carillon}; what it may touch of others, beside the
 * JDK's everyday packages; what it must not touch although the column before would let it; who may see it where the
 * module system is asked ({@code all}: exported to everyone or not at all).
 */
final class Rooms {
    private static final String TABLE = """
            dev.carillon            | runtime-java  | -                                | -                     | -     | all
            dev.carillon.sys        | runtime-java  | -                                | jna ffm               | structures callbacks loggers threads | dev.carillon.shm
            dev.carillon.memory     | runtime-java  | sys                              | -                     | -     | all
            dev.carillon.futex      | runtime-java  | sys memory                       | -                     | -     | all
            dev.carillon.loop       | runtime-java  | sys memory                       | slf4j jfr             | -     | all
            dev.carillon.signal     | runtime-java  | loop sys                         | slf4j signal jfr      | -     | all
            dev.carillon.process    | runtime-java  | loop sys                         | jfr                   | -     | all
            dev.carillon.lifecycle  | runtime-java  | signal loop                      | slf4j                 | -     | all
            dev.carillon.doctor     | runtime-java  | sys memory loop signal lifecycle | -                     | -     | all
            dev.carillon.shm        | shm-ipc       | sys memory futex loop process    | slf4j jfr             | -     | all
            dev.carillon.admin      | admin-http    | lifecycle signal                 | httpserver jackson slf4j | -  | all
            dev.carillon.coroutines | coroutines-kt | loop signal process lifecycle shm | kotlin coroutines    | -     | all
            dev.carillon.test       | carillon-test | memory futex loop signal process lifecycle | junit       | -     | all
            dev.carillon.samples    | samples       | memory futex loop signal process lifecycle doctor shm admin coroutines | slf4j kotlin coroutines httpserver httpclient | - | all
            dev.carillon.benchmarks | benchmarks    | sys memory futex loop signal process lifecycle doctor shm admin coroutines test | * | - | all
            """;

    /** What a word in the columns of others' packages stands for. */
    private static final Map<String, Set<String>> WORDS = Map.ofEntries(
            entry("jna", Set.of("com.sun.jna")),
            entry("ffm", Set.of("java.lang.foreign")),
            entry("slf4j", Set.of("org.slf4j")),
            entry("jfr", Set.of("jdk.jfr")),
            entry("signal", Set.of("sun.misc.Signal", "sun.misc.SignalHandler")),
            entry("httpserver", Set.of("com.sun.net.httpserver")),
            entry("httpclient", Set.of("java.net.http")),
            entry("jackson", Set.of("com.fasterxml.jackson.core")),
            entry("kotlin", Set.of("kotlin")),
            entry("coroutines", Set.of("kotlinx.coroutines")),
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

    private static final Map<String, Room> ALL = TABLE.lines()
            .map(Rooms::row)
            .collect(Collectors.toMap(Room::name, room -> room, (a, b) -> a, LinkedHashMap::new));

    private Rooms() {}

    /** One row of the table. */
    record Room(String name, String module, Set<String> calls, Set<String> foreign, Set<String> never, String seenBy) {
        String shortName() {
            return name.substring(name.lastIndexOf('.') + 1);
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

    static Optional<Room> named(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    /** The room of a package, by the longest name in the table. */
    static Optional<Room> of(String packageName) {
        for (var name = packageName; ; name = name.substring(0, name.lastIndexOf('.'))) {
            var room = ALL.get(name);
            if (room != null && (name.equals(packageName) || !name.equals("dev.carillon"))) {
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
        var calls = words(cells[2]).stream().map(name -> "dev.carillon." + name).collect(Collectors.toSet());
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
