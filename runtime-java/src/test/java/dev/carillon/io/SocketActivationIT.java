package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Programs;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services that are started with sockets, by the program of systemd that does just that. */
// r[verify io.activation] r[verify io.adopt]
final class SocketActivationIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String ACTIVATE = "systemd-socket-activate";

    @TempDir
    Path folder;

    /** The client is there before the service: its connection waits in the listener that the service inherits. */
    @Test
    void aServiceAnswersTheClientThatHasStartedIt() {
        Programs.need(ACTIVATE);
        Programs.need("socat");
        Path socket = folder.resolve("echo");
        Path other = folder.resolve("other");
        try (ChildProcess service = ChildJvm.of(Service.class)
                .prefix(ACTIVATE, "-l", socket.toString(), "-l", other.toString(), "--fdname=echo:other")
                .start()) {
            Deadline.after(LIMIT).await("it listens", () -> Files.exists(other));
            ChildExit client = ChildCommand.of("sh", "-c", "echo hello | socat -t 30 - UNIX-CONNECT:" + socket)
                    .run(LIMIT);
            assertEquals(List.of("hello"), client.stdout(), client::toString);
            ChildExit exit = service.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertEquals(List.of("[echo, other]"), exit.stdout(), exit::toString);
        }
    }

    /** A shell between the two: the variables are the shell's. */
    @Test
    void aServiceBehindAShellBindsByItself() {
        Programs.need(ACTIVATE);
        Programs.need("socat");
        Path socket = folder.resolve("echo");
        // A path is there a moment before its socket listens. When the second is there, the first one listens.
        Path other = folder.resolve("other");
        try (ChildProcess service = ChildJvm.of(Alone.class)
                .prefix(ACTIVATE, "-l", socket.toString(), "-l", other.toString(), "sh", "-c", "\"$@\"; exit", "sh")
                .args(folder.resolve("own").toString())
                .start()) {
            Deadline.after(LIMIT).await("it listens", () -> Files.exists(other));
            ChildCommand.of("sh", "-c", "echo hello | socat -u - UNIX-CONNECT:" + socket)
                    .run(LIMIT);
            ChildExit exit = service.awaitExit(LIMIT);
            assertEquals(List.of("[]", "own"), exit.stdout(), exit::toString);
        }
    }

    /** Answers one client with what it says. */
    static final class Service {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start()) {
                List<ActivatedSocket> sockets = SocketActivation.sockets();
                System.out.println(sockets.stream().map(ActivatedSocket::name).toList());
                try (ServerSocket echo = sockets.get(0).listen(loop);
                        ServerSocket other = sockets.get(1).listen(loop);
                        StreamSocket client = Futures.get(echo.acceptAsync())) {
                    ByteBuffer buffer = ByteBuffer.allocate(100);
                    Futures.get(client.readSomeAsync(buffer));
                    Futures.get(client.writeAllAsync(buffer.flip()));
                    Futures.get(other.closeAsync());
                }
            }
        }
    }

    /** What a service does that also runs without a manager. */
    static final class Alone {
        public static void main(String[] args) {
            System.out.println(SocketActivation.sockets());
            // region listener
            try (EventLoop loop = EventLoop.open().start();
                    ServerSocket server = SocketActivation.sockets().stream()
                            .map(socket -> socket.listen(loop))
                            .findFirst()
                            .orElseGet(() -> ServerSocket.bind(loop, UnixDomainSocketAddress.of(args[0])))) {
                System.out.println(Path.of(server.localAddress().toString()).getFileName());
            }
            // endregion
        }
    }
}
