package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of ours, at servers that nobody here wrote. */
abstract class PeerServerContract extends PeerCase {
    private static final int MAX = 4_000_000;
    private static final Pattern LISTENS = Pattern.compile("(?i)^listening on |N listening on |^bound on [0-9:]");

    /** Where a server of theirs listens, once it has said so. */
    private SocketAddress address(Where where, ChildProcess server) {
        String line = server.awaitLine(LISTENS, PATIENCE);
        return switch (where) {
            case FOUR -> at(localFour(), portIn(line));
            case SIX -> at(localSix(), portIn(line));
            case PATH, ABSTRACT -> address(where);
        };
    }

    private StreamSocket connected(SocketAddress address) {
        return closeLater(get(StreamSocket.connect(started(), address)));
    }

    /** socat hands each connection to a cat of its own. */
    @ParameterizedTest
    @EnumSource(Where.class)
    void socatSendsBackWhatWeSend(Where where, @Seeded SplittableRandom random) {
        ChildProcess server = peer(
                "socat",
                "-d",
                "-d",
                "-t",
                "30",
                switch (where) {
                    case FOUR -> "TCP4-LISTEN:0,bind=127.0.0.1,fork";
                    case SIX -> "TCP6-LISTEN:0,bind=[::1],fork";
                    case PATH -> "UNIX-LISTEN:" + address(where) + ",fork";
                    case ABSTRACT -> "ABSTRACT-LISTEN:" + ((AbstractSocketAddress) address(where)).name() + ",fork";
                },
                "EXEC:cat");
        SocketAddress address = address(where, server);
        for (int i = 0; i < 3; i++) {
            byte[] sent = randomBytes(random, MAX);
            assertArrayEquals(sent, exchange(connected(address), sent));
        }
    }

    @ParameterizedTest
    @EnumSource(Where.class)
    void netcatTalksWithUs(Where where) {
        ChildProcess server = peer(
                switch (where) {
                    case FOUR -> List.of("nc", "-v", "-n", "-l", "127.0.0.1", "0");
                    case SIX -> List.of("nc", "-v", "-n", "-6", "-l", "::1", "0");
                    case PATH, ABSTRACT ->
                        List.of("nc", "-v", "-l", "-U", address(where).toString());
                });
        StreamSocket socket = connected(address(where, server));
        for (int i = 0; i < 20; i++) {
            get(socket.writeAllAsync(LoopCase.bytes("we say " + i + "\n")));
            server.awaitLine("we say " + i, PATIENCE);
            ByteBuffer line = ByteBuffer.allocate(("they say " + i + "\n").length());
            server.writeLine("they say " + i);
            while (line.hasRemaining()) {
                get(socket.readSomeAsync(line));
            }
            assertEquals("they say " + i + "\n", LoopCase.text(line));
        }
        socket.shutdownOutput();
        get(socket.closeAsync());
        server.awaitExit(PATIENCE);
    }

    @Test
    void aFileIsFetchedFromPythonsHttpServer(@Seeded SplittableRandom random) throws Exception {
        byte[] content = randomBytes(random, 1_000_000);
        Files.write(folder.resolve("file"), content);
        ChildProcess server = peer(
                "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.toString());
        String line = server.awaitLine("Serving HTTP on", PATIENCE);
        int port = Integer.parseInt(line.replaceFirst(".*port (\\d+).*", "$1"));
        HttpConnection found = new HttpConnection(connected(at(localFour(), port)));
        found.ask("/file");
        HttpConnection.Message answer = found.next();
        assertEquals("HTTP/1.0 200 OK", answer.line());
        assertArrayEquals(content, answer.bytes());
        HttpConnection missing = new HttpConnection(connected(at(localFour(), port)));
        missing.ask("/none");
        assertEquals("HTTP/1.0 404 File not found", missing.next().line());
    }

    private void exchangesDatagrams(SocketAddress to, Answers answers) {
        DatagramSocket socket = closeLater(DatagramSocket.connect(started(), to));
        for (int i = 0; i < 20; i++) {
            String text = "datagram " + i + "\n";
            get(socket.sendAsync(LoopCase.bytes(text)));
            ByteBuffer buffer = ByteBuffer.allocate(100);
            CompletableFuture<Datagram> received = socket.receiveAsync(buffer);
            answers.answer(text);
            assertEquals(text.length(), get(received).length());
            assertEquals(text, LoopCase.text(buffer));
        }
    }

    @Test
    void socatSendsBackDatagrams() {
        ChildProcess four = peer("socat", "-d", "-d", "UDP4-LISTEN:0,bind=127.0.0.1", "EXEC:cat");
        exchangesDatagrams(address(Where.FOUR, four), text -> {});
        ChildProcess six = peer("socat", "-d", "-d", "UDP6-LISTEN:0,bind=[::1]", "EXEC:cat");
        exchangesDatagrams(address(Where.SIX, six), text -> {});
    }

    @Test
    void netcatTakesAndSendsDatagrams() {
        ChildProcess four = peer("nc", "-v", "-n", "-u", "-l", "127.0.0.1", "0");
        exchangesDatagrams(address(Where.FOUR, four), text -> four.writeLine(text.strip()));
        ChildProcess six = peer("nc", "-v", "-n", "-6", "-u", "-l", "::1", "0");
        exchangesDatagrams(address(Where.SIX, six), text -> six.writeLine(text.strip()));
    }

    @Test
    void socatSendsBackUnixDatagrams() {
        SocketAddress theirs = UnixDomainSocketAddress.of(folder.resolve("theirs"));
        peer("socat", "UNIX-RECVFROM:" + theirs + ",fork", "EXEC:cat");
        Deadline.after(PATIENCE).await("socat has its socket", () -> Files.exists(folder.resolve("theirs")));
        EventLoop loop = started();
        DatagramSocket ours = closeLater(DatagramSocket.bind(loop, UnixDomainSocketAddress.of(folder.resolve("ours"))));
        for (int i = 0; i < 5; i++) {
            ByteBuffer buffer = ByteBuffer.allocate(100);
            CompletableFuture<Datagram> received = ours.receiveAsync(buffer);
            get(ours.sendAsync(LoopCase.direct("message " + i), theirs));
            assertEquals(theirs, get(received).sender());
            assertEquals("message " + i, LoopCase.text(buffer));
        }
    }

    @Test
    void aServerThatIsKilledEndsOurReadsAndRefusesTheNextConnection() {
        ChildProcess server = peer("socat", "-d", "-d", "TCP4-LISTEN:0,bind=127.0.0.1,fork", "EXEC:cat");
        SocketAddress address = address(Where.FOUR, server);
        List<StreamSocket> sockets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sockets.add(connected(address));
            get(sockets.get(i).writeAllAsync(LoopCase.bytes("x")));
            assertEquals(1, get(sockets.get(i).readSomeAsync(ByteBuffer.allocate(1))));
        }
        List<CompletableFuture<Integer>> reads = sockets.stream()
                .map(socket -> socket.readSomeAsync(ByteBuffer.allocate(1)))
                .toList();
        server.close();
        reads.forEach(read -> assertEquals(-1, get(read)));
        assertMessage(failureOf(StreamSocket.connect(sockets.get(0).eventLoop(), address)), "nobody listens there");
    }

    @FunctionalInterface
    private interface Answers {
        void answer(String text);
    }
}
