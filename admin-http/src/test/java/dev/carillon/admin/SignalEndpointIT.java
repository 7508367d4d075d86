package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real process with a lifecycle, curl, and the exit code. */
// r[verify admin.contract] r[verify admin.fallback] r[verify admin.log]
final class SignalEndpointIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static ChildJvm service(String mode) {
        return ChildJvm.of(Service.class).args(mode);
    }

    private static String address(ChildProcess child) {
        return child.awaitLine("http://", LIMIT);
    }

    private static List<String> post(String address, String body, String... options) {
        String[] all = new String[options.length + 2];
        all[0] = "-H";
        all[1] = "Authorization: Bearer " + TOKEN;
        System.arraycopy(options, 0, all, 2, options.length);
        return Curl.post(address, body, all);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aPostedSignalDrainsTheProcessWhichLeavesWithItsCode(String signal, int code) {
        try (ChildProcess child = service("stays").start()) {
            List<String> answer = post(
                    address(child),
                    "{\"signal\":\"" + signal + "\",\"reason\":\"moving\",\"correlation_id\":\"id-1\"}");
            assertEquals(
                    List.of(
                            "{\"status\":\"accepted\",\"signal\":\"" + signal + "\",\"correlation_id\":\"id-1\","
                                    + "\"message\":\"Signal will be processed asynchronously\"}",
                            "202"),
                    answer);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            assertTrue(exit.stdout().containsAll(List.of("drained", "cleaned up")), exit::toString);
            assertTrue(
                    exit.stderr().stream()
                            .anyMatch(line -> line.startsWith("INFO Signal request") && line.contains("reason=moving")),
                    exit::toString);
        }
    }

    @Test
    void anInvalidConfigurationIsRefusedAndTheProcessGoesOn() {
        try (ChildProcess child = service("reloads").start()) {
            String address = address(child);
            assertEquals("202", last(post(address, "{\"signal\":\"HUP\"}")));
            child.awaitLine("refused", LIMIT);
            assertEquals("202", last(post(address, "{\"signal\":\"TERM\"}")));
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
        }
    }

    /** Whoever starts a process with HUP ignored, as nohup does, makes it one that the system cannot deliver. */
    @Test
    void aSignalThatTheSystemDoesNotDeliverReachesItsHandlers() {
        try (ChildProcess child = service("handles").ignoreSignals("HUP").start()) {
            String address = address(child);
            child.send("HUP");
            child.send("USR1");
            child.awaitLine("handled SIGUSR1", LIMIT);
            assertEquals(List.of(), handledHangups(child));
            assertEquals("202", last(post(address, "{\"signal\":\"HUP\"}")));
            child.awaitLine("handled SIGHUP", LIMIT);
        }
    }

    private static List<String> handledHangups(ChildProcess child) {
        return child.stdout().stream()
                .filter(line -> line.equals("handled SIGHUP"))
                .toList();
    }

    @Test
    void aSignalWithoutHandlerIsAConflictAndAWrongTokenIsRefused() {
        try (ChildProcess child = service("stays").start()) {
            String address = address(child);
            assertEquals(
                    List.of(
                            "{\"status\":\"error\",\"error\":\"signal_not_handled\","
                                    + "\"message\":\"Signal 'USR1' is handled by nobody\"}",
                            "409"),
                    post(address, "{\"signal\":\"USR1\"}"));
            assertEquals("401", last(Curl.post(address, "{\"signal\":\"TERM\"}")));
            assertEquals("401", last(Curl.post(address, "{\"signal\":\"TERM\"}", "-u", "deploy:" + TOKEN)));
            assertEquals("413", last(post(address, " ".repeat(5000))));
            assertEquals("405", last(post(address, "{}", "-X", "PUT")));
        }
    }

    // r[verify admin.auth]
    @ParameterizedTest
    @CsvSource({
        "open to anyone, an endpoint without authenticator would let anyone end this process",
        "open to the network, can be reached from elsewhere",
    })
    void aProgramWhoseEndpointWouldBeOpenDoesNotStart(String mode, String why) {
        ChildExit exit = service(mode).run(LIMIT);
        assertEquals(1, exit.code(), exit::toString);
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains(why)), exit::toString);
        assertTrue(exit.stdout().stream().noneMatch(line -> line.startsWith("http")), exit::toString);
    }

    /** The endpoint is closed by a hook, which runs while one of its own threads waits for the exit, and so for the hooks. */
    // r[verify life.shutdown]
    @ParameterizedTest
    @CsvSource({"exits from a handler, 8", "exits from an authenticator, 9"})
    void anExitThatARequestBringsAboutWaitsForNobody(String mode, int code) {
        try (ChildProcess child = service(mode).start()) {
            post(address(child), "{\"signal\":\"USR1\"}");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(code, exit.code(), exit::toString);
            assertTrue(exit.stdout().containsAll(List.of("drained", "cleaned up")), exit::toString);
        }
    }

    @Test
    void anEndpointAloneKeepsNoProcess() {
        ChildExit exit = service("returns").run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertTrue(exit.stdout().contains("cleaned up"), exit::toString);
    }

    private static String last(List<String> lines) {
        return lines.get(lines.size() - 1);
    }

    static final class Service {
        public static void main(String[] args) throws Exception {
            Records.isPrinting = true;
            Lifecycle lifecycle = Lifecycle.builder().build();
            lifecycle.onDrain("drain", () -> System.out.println("drained"));
            lifecycle.onShutdown("clean up", () -> System.out.println("cleaned up"));
            if (args[0].equals("reloads")) {
                lifecycle.onReload("configuration", () -> {
                    System.out.println("refused");
                    throw new IllegalArgumentException("bad, as this test wants it");
                });
            } else if (args[0].equals("handles")) {
                lifecycle.handle(Signal.SIGHUP, info -> System.out.println("handled " + info.signal()));
                lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("handled " + info.signal()));
            } else if (args[0].equals("exits from a handler")) {
                lifecycle.handle(Signal.SIGUSR1, info -> System.exit(8));
            }
            lifecycle.start();
            SignalEndpointBuilder builder = SignalEndpoint.builder(lifecycle);
            if (args[0].equals("open to the network")) {
                builder.address(new InetSocketAddress("0.0.0.0", 0));
            }
            if (args[0].equals("exits from an authenticator")) {
                builder.authenticator(exchange -> leave());
            } else if (!args[0].equals("open to anyone")) {
                builder.authenticator(Authenticator.bearer("deploy", TOKEN));
            }
            SignalEndpoint endpoint = builder.start();
            lifecycle.onShutdown("endpoint", endpoint::close);
            System.out.println(endpoint.uri());
            if (!args[0].equals("returns")) {
                new CountDownLatch(1).await();
            }
        }

        private static Identity leave() {
            System.exit(9);
            throw new AssertionError("nothing comes after an exit");
        }
    }
}
