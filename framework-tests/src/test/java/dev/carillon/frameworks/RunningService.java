package dev.carillon.frameworks;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A service under test in a process of its own, and its clients. */
final class RunningService implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String ORDER = "order: ";

    private final ChildProcess child;
    private final int port;
    private final FutureTask<Optional<Answer>> slowRequest = new FutureTask<>(() -> get("/slow", "keep-alive"));

    private RunningService(ChildProcess child) {
        this.child = child;
        port = Integer.parseInt(child.awaitLine("port=", LIMIT).substring("port=".length()));
    }

    /** What a client got: the first line, and all that came behind the headers. */
    record Answer(int status, String body) {}

    /** Waits until it serves. */
    static RunningService start(ChildJvm program) {
        // Quick starts matter more than quick code here.
        ChildProcess child =
                program.vmFlags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC").start();
        try {
            return new RunningService(child);
        } catch (AssertionError failure) {
            child.close();
            throw failure;
        }
    }

    ChildProcess child() {
        return child;
    }

    /** What it has told so far of the order of things. */
    static List<String> order(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(ORDER))
                .map(line -> line.substring(ORDER.length()))
                .toList();
    }

    /** Begins a request that is answered when {@link #allowAnswer} is called; its client would like to keep the connection. */
    void beginSlowRequest() {
        Thread client = new Thread(slowRequest, "slow-client");
        client.setDaemon(true);
        client.start();
        child.awaitLine("the slow request runs", LIMIT);
    }

    void allowAnswer() {
        child.writeLine("answer");
    }

    /** What the client of the slow request got. */
    Optional<Answer> slowAnswer() throws Exception {
        return slowRequest.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    Optional<Answer> get(String path) {
        return get(path, "close");
    }

    /** On a connection of its own; nothing where there is nobody to connect to, or nobody who answers. */
    private Optional<Answer> get(String path, String connection) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) LIMIT.toMillis());
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: " + connection + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!all.startsWith("HTTP/1.1 ")) {
                return Optional.empty();
            }
            int status = Integer.parseInt(all.substring(9, 12));
            return Optional.of(new Answer(status, all.substring(all.indexOf("\r\n\r\n") + 4)));
        } catch (SocketException refused) {
            return Optional.empty();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Begins a request with a large answer, of which nothing is read yet. */
    LargeAnswer beginLargeRequest(String connection) throws IOException {
        return new LargeAnswer(port, connection);
    }

    boolean hasTold(String what) {
        return order(child.stdout()).contains(what);
    }

    /** Waits until new requests are refused, or answered with 503. */
    void awaitNewRequestsTurnedAway() {
        Deadline.after(LIMIT).await("new requests are turned away", () -> {
            Optional<Answer> answer = get("/");
            return answer.isEmpty() || answer.get().status() == 503;
        });
    }

    /** Ctrl+C until one comes within the window of the one before: on a busy machine the second one may be late. */
    void interruptUntilItEnds() {
        while (child.isAlive()) {
            long hints = hints();
            child.send("INT");
            Deadline.after(LIMIT)
                    .await("the interrupt ends it or prints the hint", () -> !child.isAlive() || hints() > hints);
        }
    }

    private long hints() {
        return child.stderr().stream()
                .filter(line -> line.startsWith("Press Ctrl+C again"))
                .count();
    }

    ChildExit awaitExit() {
        return child.awaitExit(LIMIT);
    }

    @Override
    public void close() {
        child.close();
    }
}
