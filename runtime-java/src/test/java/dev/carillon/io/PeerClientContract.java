package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that nobody here wrote, at servers of ours. */
abstract class PeerClientContract extends PeerCase {
    private static final int MAX = 4_000_000;

    private ServerSocket bound(Where where) {
        return closeLater(ServerSocket.bind(started(), address(where)));
    }

    private void echoesThrough(Where where, SplittableRandom random, Client client) {
        ServerSocket server = bound(where);
        Echoing echoing = Echoing.on(server, 64 * 1024);
        for (int i = 0; i < 3; i++) {
            byte[] sent = randomBytes(random, MAX);
            assertArrayEquals(sent, through(sent, client.command(server)));
        }
        assertEquals(3, echoing.accepted());
        Deadline.after(LIMIT).await("all connections have ended", () -> echoing.ended() == 3);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void socatGetsBackWhatItSends(Where where, @Seeded SplittableRandom random) {
        echoesThrough(
                where,
                random,
                server -> List.of(
                        "socat",
                        "-t",
                        "30",
                        "-",
                        switch (where) {
                            case FOUR -> "TCP4:127.0.0.1:" + port(server.localAddress());
                            case SIX -> "TCP6:[::1]:" + port(server.localAddress());
                            case PATH -> "UNIX-CONNECT:" + server.localAddress();
                            case ABSTRACT ->
                                "ABSTRACT-CONNECT:" + ((AbstractSocketAddress) server.localAddress()).name();
                        }));
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void netcatGetsBackWhatItSends(Where where, @Seeded SplittableRandom random) {
        echoesThrough(where, random, server -> switch (where) {
            case FOUR -> List.of("nc", "-N", "127.0.0.1", "" + port(server.localAddress()));
            case SIX -> List.of("nc", "-6", "-N", "::1", "" + port(server.localAddress()));
            case PATH, ABSTRACT ->
                List.of("nc", "-N", "-U", server.localAddress().toString());
        });
    }

    /** Two requests, on one connection where curl can: one with a body that comes back, one for what is not there. */
    @ParameterizedTest
    @EnumSource(Where.class)
    void curlUnderstandsAnHttpAnswer(Where where, @Seeded SplittableRandom random) {
        need("curl");
        ServerSocket server = bound(where);
        byte[] body = randomBytes(random, 200_000);
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        String name = server.localAddress().toString();
        List<String> reach = switch (where) {
            case FOUR, SIX -> List.of("--globoff");
            case PATH -> List.of("--unix-socket", name);
            case ABSTRACT -> List.of("--abstract-unix-socket", name.substring(1));
        };
        String host = switch (where) {
            case FOUR -> "127.0.0.1:" + port(server.localAddress());
            case SIX -> "[::1]:" + port(server.localAddress());
            case PATH, ABSTRACT -> "localhost";
        };
        List<String> command = new java.util.ArrayList<>(List.of("curl", "-q", "-sS", "--noproxy", "*"));
        command.addAll(reach);
        command.addAll(List.of("--data-binary", "@-", "http://" + host + "/echo", "--next", "-q", "-sS"));
        command.addAll(List.of("--noproxy", "*"));
        command.addAll(reach);
        command.addAll(List.of("-o", "/dev/null", "-w", "%{http_code} %{num_connects}", "http://" + host + "/none"));
        CompletableFuture<byte[]> printed =
                CompletableFuture.supplyAsync(() -> through(body, command), task -> new Thread(task).start());
        StreamSocket socket = closeLater(get(accepted));
        HttpConnection connection = new HttpConnection(socket);
        HttpConnection.Message first = connection.next();
        assertEquals("POST /echo HTTP/1.1", first.line());
        connection.answer("200 OK", first.bytes());
        if (!isKept(where)) {
            socket.close();
            connection = new HttpConnection(closeLater(get(server.acceptAsync())));
        }
        assertEquals("GET /none HTTP/1.1", connection.next().line());
        connection.answer("404 Not Found", new byte[0]);
        byte[] output = get(printed);
        assertArrayEquals(body, java.util.Arrays.copyOf(output, body.length));
        String rest =
                new String(output, body.length, output.length - body.length, java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(isKept(where) ? "404 0" : "404 1", rest);
    }

    /** Some versions of curl use no connection to an abstract name twice. */
    private static boolean isKept(Where where) {
        return where != Where.ABSTRACT;
    }

    private void answersDatagrams(DatagramSocket socket, ChildProcess client) {
        for (int i = 0; i < 20; i++) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(100);
            CompletableFuture<Datagram> received = socket.receiveAsync(buffer);
            client.writeLine("ping " + i);
            Datagram datagram = get(received);
            assertEquals("ping " + i + "\n", LoopCase.text(buffer));
            get(socket.sendAsync(LoopCase.bytes("pong " + i + "\n"), Objects.requireNonNull(datagram.sender())));
            client.awaitLine("pong " + i, PATIENCE);
        }
    }

    @Test
    void socatAndNetcatExchangeDatagramsWithUs() {
        EventLoop loop = started();
        DatagramSocket four = closeLater(DatagramSocket.bind(loop, localFour()));
        DatagramSocket six = closeLater(DatagramSocket.bind(loop, localSix()));
        int portOfFour = port(Objects.requireNonNull(four.localAddress()));
        int portOfSix = port(Objects.requireNonNull(six.localAddress()));
        answersDatagrams(four, peer("socat", "-", "UDP4:127.0.0.1:" + portOfFour));
        answersDatagrams(six, peer("socat", "-", "UDP6:[::1]:" + portOfSix));
        answersDatagrams(four, peer("nc", "-u", "127.0.0.1", "" + portOfFour));
        answersDatagrams(six, peer("nc", "-6", "-u", "::1", "" + portOfSix));
    }

    @Test
    void socatExchangesUnixDatagramsWithUs() {
        DatagramSocket socket =
                closeLater(DatagramSocket.bind(started(), UnixDomainSocketAddress.of(folder.resolve("ours"))));
        answersDatagrams(
                socket,
                peer("socat", "-", "UNIX-SENDTO:" + folder.resolve("ours") + ",bind=" + folder.resolve("theirs")));
    }

    // r[verify io.scm-rights]
    @Test
    void pythonTakesADescriptorFromUsAndSendsOneBack() {
        EventLoop loop = started();
        SocketAddress address = address(Where.PATH);
        ServerSocket server = closeLater(ServerSocket.bind(loop, address));
        peer("python3", "-c", """
                import os, socket, sys
                us = socket.socket(socket.AF_UNIX)
                us.connect(sys.argv[1])
                text, theirs, flags, sender = socket.recv_fds(us, 100, 4)
                os.write(theirs[0], b"python got " + text)
                reader, writer = os.pipe()
                os.write(writer, b"a pipe of python's")
                socket.send_fds(us, [b"mine"], [reader])
                """, address.toString());
        StreamSocket python = closeLater(get(server.acceptAsync()));
        Fd[] pipe = Sys.get().descriptors().pipe(true);
        Descriptor output = closeLater(Descriptor.adopt(loop, pipe[0].acquire()));
        get(python.sendDescriptorsAsync(LoopCase.bytes("a pipe"), pipe[1].acquire()));
        pipe[1].release();
        pipe[1].close();
        assertReads("python got a pipe", output);
        ByteBuffer text = ByteBuffer.allocate(10);
        ReceivedDescriptors received = get(python.receiveDescriptorsAsync(text, 1));
        assertEquals("mine", LoopCase.text(text));
        Descriptor theirs =
                closeLater(Descriptor.adopt(loop, received.descriptors().get(0).detach()));
        assertReads("a pipe of python's", theirs);
    }

    private static void assertReads(String expected, Descriptor from) {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        get(from.readSomeAsync(buffer));
        assertEquals(expected, LoopCase.text(buffer));
    }

    @Test
    void aClientThatIsKilledWhileWeWriteFailsTheWriteAndNothingElse() {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        String port = "" + port((InetSocketAddress) server.localAddress());
        CompletableFuture<StreamSocket> first = server.acceptAsync();
        ChildProcess victim = peer("nc", "-d", "127.0.0.1", port);
        StreamSocket toVictim = closeLater(get(first));
        AtomicLong written = new AtomicLong();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 16);
        toVictim.writeSome(chunk, Operation.of(done -> {
            if (done.failure() == null) {
                written.addAndGet(done.result());
                toVictim.writeSome(chunk.clear(), done);
            } else {
                failure.complete(done.failure());
            }
        }));
        Deadline.after(LIMIT).await("bytes flow", () -> written.get() > 1 << 20);
        victim.send("KILL");
        SyscallException cause = (SyscallException) get(failure);
        assertTrue(List.of("ECONNRESET", "EPIPE").contains(cause.errnoName()), cause::toString);
        assertMessage(cause, "the other side");
        CompletableFuture<StreamSocket> second = server.acceptAsync();
        ChildProcess next = peer("nc", "127.0.0.1", port);
        get(closeLater(get(second)).writeAllAsync(LoopCase.bytes("still here\n")));
        next.awaitLine("still here", PATIENCE);
    }

    @FunctionalInterface
    private interface Client {
        List<String> command(ServerSocket server);
    }
}
