package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SignalSamplesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For a look at what must not happen: a slower machine sees less, and fails never. */
    private static final int LONGER_THAN_A_SECOND = 1500;

    @Test
    void hangupsReadSettingsAgainAndTermEnds() {
        try (ChildProcess child = ChildJvm.of(AwaitSignalJava.class).start()) {
            child.awaitLine("pid " + child.pid() + " waits", PATIENCE);
            for (int i = 0; i < 2; i++) {
                child.send("HUP");
                child.awaitLine("reading the settings again", PATIENCE);
            }
            long sender = child.send("TERM");
            child.awaitLine("closing in good order, as pid " + sender + " wants it", PATIENCE);
            assertEquals(0, child.awaitExit(PATIENCE).code());
        }
    }

    @Test
    void theSenderIsNamedWithItsCommandLine() throws Exception {
        try (ChildProcess child = ChildJvm.of(WhoKilledMe.class).start()) {
            child.awaitLine("pid " + child.pid() + " waits", PATIENCE);
            Process shell = new ProcessBuilder("sh", "-c", "kill " + child.pid() + "; read end").start();
            try {
                ChildExit exit = child.awaitExit(PATIENCE);
                String line = exit.stdout().get(1);
                assertTrue(line.startsWith("SIGTERM from pid " + shell.pid() + ", uid "), exit::toString);
                assertTrue(line.contains("sh"), exit::toString);
            } finally {
                shell.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void aServerDrainsAndLeavesWith143() throws Exception {
        try (ChildProcess child = ChildJvm.of(GracefulJava.class).start()) {
            String address = child.awaitLine("http://", PATIENCE);
            HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
            assertEquals(
                    "hello\n",
                    HttpClient.newHttpClient()
                            .send(request, BodyHandlers.ofString())
                            .body());
            long sender = child.send("USR1");
            child.awaitLine("USR1 from pid " + sender, PATIENCE);
            child.send("TERM");
            ChildExit exit = child.awaitExit(PATIENCE);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stdout().contains("closed in good order"), exit::toString);
        }
    }

    /** The server of the JDK knows of a request when it has its head. */
    @Test
    void aRequestThatWasBegunIsAnsweredWhenItsClientIsSlow() throws Exception {
        try (ChildProcess child = ChildJvm.of(GracefulJava.class).start()) {
            int port = URI.create(child.awaitLine("http://", PATIENCE)).getPort();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                write(client, "GET / HTTP/1.1\r\nHost: localhost\r\n");
                // It is served beside the slow one, which therefore has a thread.
                HttpRequest quick = HttpRequest.newBuilder(URI.create("http://localhost:" + port))
                        .build();
                HttpClient.newHttpClient().send(quick, BodyHandlers.discarding());
                child.send("TERM");
                client.setSoTimeout(LONGER_THAN_A_SECOND);
                assertThrows(
                        SocketTimeoutException.class,
                        () -> client.getInputStream().read());
                write(client, "Connection: close\r\n\r\n");
                client.setSoTimeout((int) PATIENCE.toMillis());
                String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                assertTrue(answer.endsWith("hello\n"), answer);
            }
            ChildExit exit = child.awaitExit(PATIENCE);
            assertEquals(143, exit.code(), exit::toString);
            assertTrue(exit.stdout().contains("closed in good order"), exit::toString);
        }
    }

    private static void write(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }
}
