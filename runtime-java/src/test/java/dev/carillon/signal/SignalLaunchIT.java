package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import dev.carillon.test.Programs;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However the process was launched, its signals arrive, with their sender. */
// r[verify signal.deliver] r[verify signal.siginfo]
class SignalLaunchIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).distinct();
    }

    private static void assertArrives(UnaryOperator<ChildJvm> launch) {
        try (ChildProcess child = launch.apply(ChildJvm.of(SignalChild.class).args("3", "TERM", "USR1", "INT"))
                .start()) {
            child.awaitLine("ready FORWARDER {SIGINT, SIGUSR1, SIGTERM} ignored {}", LIMIT);
            for (String name : new String[] {"TERM", "INT", "USR1"}) {
                long sender = child.send(name);
                child.awaitLine("got SIG" + name + " from PROCESS " + sender + " uid ", LIMIT);
            }
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void plainly(Jdk jdk) {
        assertArrives(child -> child.jdk(jdk));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void withReducedSignals(Jdk jdk) {
        assertArrives(child -> child.jdk(jdk).vmFlags("-Xrs"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void withEverythingBlocked(Jdk jdk) {
        assertArrives(child -> child.jdk(jdk).blockSignals("TERM", "USR1", "INT", "HUP", "RTMAX", "WINCH"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void withReducedSignalsAndEverythingBlocked(Jdk jdk) {
        assertArrives(child -> child.jdk(jdk).vmFlags("-Xrs").blockSignals("TERM", "USR1", "INT"));
    }

    @Test
    void inASessionOfItsOwn() {
        assertArrives(child -> child.prefix("setsid", "--wait"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseZGC"})
    void withAnyCollector(String collector) {
        for (Jdk jdk : jdks().toList()) {
            assertArrives(child -> child.jdk(jdk).vmFlags(collector));
        }
    }

    // r[verify signal.ignored]
    @ParameterizedTest
    @MethodSource("jdks")
    void whatWasIgnoredAtTheStartStaysIgnored(Jdk jdk) {
        for (String capture : new String[] {"forwarder", "jvm"}) {
            try (ChildProcess child = ChildJvm.of(SignalChild.class)
                    .jdk(jdk)
                    .vmFlags("-Dcarillon.signals=" + capture)
                    .ignoreSignals("HUP", "USR1")
                    .args("1", "TERM", "HUP", "USR1")
                    .start()) {
                child.awaitLine(
                        "ready " + capture.toUpperCase(java.util.Locale.ROOT) + " {SIGTERM} ignored {SIGHUP, SIGUSR1}",
                        LIMIT);
                child.send("HUP");
                child.send("USR1");
                child.send("TERM");
                child.awaitLine("got SIGTERM", LIMIT);
                assertEquals(0, child.awaitExit(LIMIT).code());
            }
        }
    }

    // r[verify signal.ignored]
    @Test
    void underNohupAHangupDoesNothing() {
        try (ChildProcess child = ChildJvm.of(SignalChild.class)
                .prefix("nohup")
                .args("1", "TERM", "HUP")
                .start()) {
            child.awaitLine("ready FORWARDER {SIGTERM} ignored {SIGHUP}", LIMIT);
            child.send("HUP");
            child.send("TERM");
            child.awaitLine("got SIGTERM", LIMIT);
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    @Test
    void asTheFirstProcessOfAPidNamespaceSendersOutsideAreToldApart() {
        Assumptions.assumeTrue(mayMakeNamespaces(), "no pid namespaces here");
        try (ChildProcess child = ChildJvm.of(SignalChild.class)
                .prefix("unshare", "--fork", "--pid", "--mount-proc")
                .args("2", "TERM", "INT")
                .start()) {
            child.awaitLine("ready FORWARDER", LIMIT);
            child.send("TERM");
            child.awaitLine("got SIGTERM from OTHER_NAMESPACE 0 uid ", LIMIT);
            child.send("INT");
            child.awaitLine("got SIGINT from OTHER_NAMESPACE 0 uid ", LIMIT);
            assertEquals(0, child.awaitExit(LIMIT).code());
        }
    }

    private static boolean mayMakeNamespaces() {
        ChildExit exit = ChildCommand.of("unshare", "--fork", "--pid", "--mount-proc", "true")
                .run(LIMIT);
        return exit.code() == 0;
    }

    /** The terminal echoes the key as well, and may do so at the beginning of the line. */
    @Test
    void aKeyAtTheTerminalComesFromTheKernel() {
        Programs.need("script");
        try (ChildProcess child = ChildJvm.of(SignalChild.class)
                .atTerminal()
                .args("2", "INT", "QUIT")
                .start()) {
            child.awaitLine("ready FORWARDER", LIMIT);
            child.writeLine("\u0003");
            child.awaitLine(Pattern.compile("got SIGINT from KERNEL 0 uid 0 code 128"), LIMIT);
            child.writeLine("\u001c");
            child.awaitLine(Pattern.compile("got SIGQUIT from KERNEL 0 uid 0 code 128"), LIMIT);
            child.awaitExit(LIMIT);
        }
    }
}
