package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The service as its operators see it: signals, curl, exit codes. */
class GracefulServiceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path BESIDE = Path.of(System.getProperty("carillon.root"), "samples", "graceful-service");
    private static final String TOKEN = "0123456789abcdef";
    private static final Pattern ADDRESSES = Pattern.compile("pid=(\\d+) port=(\\d+) admin=(http://\\S+)");
    private static final int COULD_NOT_CONNECT = 7;

    @TempDir
    Path folder;

    @BeforeEach
    void curlIsThere() {
        Programs.need("curl");
    }

    private void settings(String port, String greeting) throws IOException {
        Files.writeString(
                folder.resolve("service.json"),
                "{\"host\": \"127.0.0.1\", \"port\": " + port + ", \"adminPort\": 0, \"greeting\": \"" + greeting
                        + "\"}");
    }

    private ChildJvm service() {
        return ChildJvm.of(GracefulServiceKt.class)
                .args(folder.resolve("service.json").toString())
                .environment("ADMIN_TOKEN", TOKEN);
    }

    private static Matcher addresses(ChildProcess service) {
        Matcher line = ADDRESSES.matcher(service.awaitLine("pid=", PATIENCE));
        assertTrue(line.matches(), line::toString);
        return line;
    }

    private static String url(Matcher addresses) {
        return "http://127.0.0.1:" + addresses.group(2) + "/";
    }

    private static ChildExit curl(String... options) {
        String[] command = new String[options.length + 2];
        command[0] = "curl";
        command[1] = "-sS";
        System.arraycopy(options, 0, command, 2, options.length);
        return ChildCommand.of(command).run(PATIENCE);
    }

    private static String post(String admin, String token, String signal) {
        String[] options = {
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            "-H",
            "Authorization: Bearer " + token,
            "-H",
            "Content-Type: application/json",
            "-d",
            "{\"signal\":\"" + signal + "\"}",
            admin
        };
        return curl(options).stdout().get(0);
    }

    /** The request is in flight as long as the shell has sent no body; a 100 says that the service waits for that. */
    @ParameterizedTest
    @CsvSource({"TERM, 143", "HUP, 129"})
    void aRequestInFlightGetsItsAnswerAndNewOnesAreRefused(String signal, int code) throws Exception {
        settings("0", "Hello");
        try (ChildProcess service = service().start()) {
            String url = url(addresses(service));
            String upload = "{ read name; printf %s \"$name\"; } | curl -sSv -X POST -H 'Expect: 100-continue'"
                    + " --expect100-timeout 600 -T - \"$0\"";
            try (ChildProcess slow = ChildCommand.of("sh", "-c", upload, url).start()) {
                slow.awaitLine("< HTTP/1.1 100 Continue", PATIENCE);
                service.send(signal);
                Deadline.after(PATIENCE)
                        .await("new connections are refused", () -> curl(url).code() == COULD_NOT_CONNECT);
                assertTrue(service.isAlive());
                slow.writeLine("Ada");
                ChildExit answered = slow.awaitExit(PATIENCE);
                assertEquals(List.of("Hello, Ada"), answered.stdout(), answered::toString);
            }
            ChildExit exit = service.awaitExit(PATIENCE);
            assertEquals(code, exit.code(), exit::toString);
        }
    }

    @Test
    void badSettingsAreRefusedAndGoodOnesHaveItStartedAnew() throws Exception {
        settings("0", "Hello");
        try (ChildProcess service = service().start()) {
            String url = url(addresses(service));
            settings("\"many\"", "Hello");
            service.send("HUP");
            service.awaitLine("java.lang.IllegalStateException: /port: string found, integer expected", PATIENCE);
            assertEquals(List.of("Hello, Ada"), curl("-d", "Ada", url).stdout());
            settings("0", "Good morning");
            service.send("HUP");
            ChildExit exit = service.awaitExit(PATIENCE);
            assertEquals(129, exit.code(), exit::toString);
        }
        try (ChildProcess next = service().start()) {
            assertEquals(
                    List.of("Good morning, Ada"),
                    curl("-d", "Ada", url(addresses(next))).stdout());
        }
    }

    @Test
    void whoHasTheTokenSendsTheSameSignalsByHttp() throws Exception {
        settings("0", "Hello");
        try (ChildProcess service = service().start()) {
            String admin = addresses(service).group(3);
            assertEquals("401", post(admin, "another", "TERM"));
            settings("-1", "Hello");
            assertEquals("202", post(admin, TOKEN, "HUP"));
            service.awaitLine("java.lang.IllegalStateException: /port: must have a minimum value of 0", PATIENCE);
            assertEquals("202", post(admin, TOKEN, "TERM"));
            ChildExit exit = service.awaitExit(PATIENCE);
            assertEquals(143, exit.code(), exit::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, '', ADMIN_TOKEN is not set", "65536, secret, /port: must have a maximum value of 65535"})
    void whatItLacksIsSaidAtTheStart(String port, String token, String fault) throws Exception {
        settings(port, "Hello");
        ChildJvm service = token.isEmpty() ? service().withoutEnvironment("ADMIN_TOKEN") : service();
        ChildExit exit = service.run(PATIENCE);
        assertEquals(1, exit.code(), exit::toString);
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains(fault)), exit::toString);
    }

    /** The kernel gives the first process of a container no signal that it does not handle. */
    @Test
    void asTheFirstProcessOfAContainerItDrainsAndLeavesWith143() throws Exception {
        String[] container = {"unshare", "--fork", "--pid", "--mount-proc"};
        ChildExit mayBe = ChildCommand.of(container[0], container[1], container[2], container[3], "true")
                .run(PATIENCE);
        Assumptions.assumeTrue(mayBe.code() == 0, "no pid namespaces here");
        settings("0", "Hello");
        try (ChildProcess service = service().prefix(container).start()) {
            assertEquals("1", addresses(service).group(1));
            service.send("TERM");
            ChildExit exit = service.awaitExit(PATIENCE);
            assertEquals(143, exit.code(), exit::toString);
        }
    }

    @Test
    void theFilesBesideItStartItWithoutAShellAndNameTheSameProgram() throws Exception {
        String start = GracefulServiceKt.class.getName() + " /etc/graceful-service/service.json";
        List<String> image = Files.readAllLines(BESIDE.resolve("Dockerfile"));
        String entry = image.stream()
                .filter(line -> line.startsWith("ENTRYPOINT"))
                .findFirst()
                .orElseThrow();
        assertTrue(entry.startsWith("ENTRYPOINT [\"java\", ") && entry.endsWith("\"]"), entry);
        assertTrue(entry.replace("\", \"", " ").contains(start), entry);
        assertTrue(image.contains("STOPSIGNAL SIGTERM"), image::toString);
        List<String> unit = Files.readAllLines(BESIDE.resolve("graceful-service.service"));
        assertTrue(
                unit.stream().anyMatch(line -> line.startsWith("ExecStart=/usr/bin/java ") && line.endsWith(start)),
                unit::toString);
        assertTrue(unit.containsAll(List.of("Type=notify", "RestartForceExitStatus=129")), unit::toString);
    }
}
