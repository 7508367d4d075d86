package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import dev.carillon.test.Seeded;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EchoServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String LISTENING = "listening on ";

    @TempDir
    private Path folder;

    @Test
    void itSendsBackWhatComesOverTcpAndOverTheUnixSocket(@Seeded SplittableRandom random) throws Exception {
        try (ChildProcess server = start();
                EventLoop loop = EventLoop.open().start()) {
            int port = port(server);
            server.awaitLine(LISTENING + path(), PATIENCE);
            SocketAddress tcp = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            for (SocketAddress address : List.of(tcp, UnixDomainSocketAddress.of(path()))) {
                for (int i = 0; i < 3; i++) {
                    byte[] sent = new byte[1 + random.nextInt(500_000)];
                    random.nextBytes(sent);
                    assertArrayEquals(sent, echo(loop, address, sent));
                }
            }
        }
    }

    @Test
    void netcatAndSocatCanTalkToIt() {
        try (ChildProcess server = start()) {
            String port = Integer.toString(port(server));
            server.awaitLine(LISTENING + path(), PATIENCE);
            talk("nc", "127.0.0.1", port);
            talk("socat", "-", "TCP4:127.0.0.1:" + port);
            talk("socat", "-", "UNIX-CONNECT:" + path());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void aSignalEndsItWithoutATrace(String signal) throws IOException {
        try (ChildProcess server = start()) {
            server.awaitLine(LISTENING + path(), PATIENCE);
            assertTrue(Files.exists(path()));
            awaitService();
            server.send(signal);
            ChildExit exit = server.awaitExit(PATIENCE);
            assertEquals(signal.equals("INT") ? 130 : 143, exit.code(), exit::toString);
            assertEquals(List.of(), exit.stderr());
            assertEquals(2, exit.stdout().size(), exit::toString);
            assertFalse(Files.exists(path()));
        }
    }

    private ChildProcess start() {
        return ChildJvm.of(EchoServer.class)
                .args("0", folder.resolve("echo").toString())
                .start();
    }

    private Path path() {
        return folder.resolve("echo");
    }

    /** Its main has done all else before it serves: it has also arranged that the file of the socket goes. */
    private void awaitService() throws IOException {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            ByteBuffer letter = ByteBuffer.allocate(1);
            assertEquals(1, client.write(letter));
            assertEquals(1, client.read(letter.clear()));
        }
    }

    private static int port(ChildProcess server) {
        String line = server.awaitLine(LISTENING, PATIENCE);
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
    }

    private static void talk(String... command) {
        Programs.need(command[0]);
        try (ChildProcess client = ChildCommand.of(command).start()) {
            for (int i = 0; i < 10; i++) {
                client.writeLine("line " + i);
                client.awaitLine("line " + i, PATIENCE);
            }
        }
    }

    private static byte[] echo(EventLoop loop, SocketAddress address, byte[] sent) throws Exception {
        StreamSocket socket = StreamSocket.connect(loop, address).get(20, TimeUnit.SECONDS);
        var written = socket.writeAllAsync(ByteBuffer.wrap(sent));
        ByteBuffer back = ByteBuffer.allocate(sent.length);
        while (back.hasRemaining()) {
            assertTrue(socket.readSomeAsync(back).get(20, TimeUnit.SECONDS) > 0);
        }
        assertEquals(sent.length, written.get(20, TimeUnit.SECONDS));
        socket.closeAsync().get(20, TimeUnit.SECONDS);
        return back.array();
    }
}
