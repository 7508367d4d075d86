package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.epoll.SlotView;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A read that took less than it had room for is not followed by one that only finds nothing; and what came with or
 * behind its bytes is found all the same.
 *
 * <p>The other side acts on the loop thread, so all that it does is there before the loop looks.
 */
// r[verify io.drained]
abstract class ShortReadContract extends LoopCase {
    private static final int CAPACITY = 16;

    private final ByteBuffer buffer = ByteBuffer.allocate(CAPACITY);

    /** A TCP connection whose other side is the JDK's. */
    private StreamSocket accepted(EventLoop loop, Socket peer) throws IOException {
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        peer.connect((InetSocketAddress) server.localAddress());
        peer.setTcpNoDelay(true);
        return closeLater(get(accepted));
    }

    private CompletableFuture<Integer> read(StreamSocket socket) {
        buffer.clear();
        return socket.readSomeAsync(buffer);
    }

    /** Begins a read, lets the other side act before the loop looks, and returns what was read. */
    private String readOf(EventLoop loop, StreamSocket socket, Callable<Boolean> action) {
        CompletableFuture<Integer> read = on(loop, () -> read(socket));
        // Two tasks: the loop has polled in between, and watches the socket.
        on(loop, () -> true);
        on(loop, action);
        get(read);
        return LoopCase.text(buffer);
    }

    private static boolean send(Socket peer, String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        return true;
    }

    @Test
    void anEndThatCameWithTheBytesIsFound() throws Exception {
        EventLoop loop = started();
        try (Socket peer = new Socket()) {
            StreamSocket socket = accepted(loop, peer);
            assertEquals("one", readOf(loop, socket, () -> send(peer, "one")));
            assertEquals("two", readOf(loop, socket, () -> {
                send(peer, "two");
                peer.shutdownOutput();
                return true;
            }));
            assertEquals(-1, get(read(socket)));
            assertEquals(-1, get(read(socket)));
        }
    }

    @Test
    void anEndThatCameWithTheBytesIsFoundOnUnixSocketsToo() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        assertEquals("one", readOf(loop, pair.get(1), () -> write(pair.get(0), "one")));
        assertEquals("two", readOf(loop, pair.get(1), () -> {
            write(pair.get(0), "two");
            pair.get(0).close();
            return true;
        }));
        assertEquals(-1, get(read(pair.get(1))));
    }

    @Test
    void aConnectionThatIsResetBehindTheBytesFails() throws Exception {
        EventLoop loop = started();
        Socket peer = new Socket();
        StreamSocket socket = accepted(loop, peer);
        assertEquals("one", readOf(loop, socket, () -> send(peer, "one")));
        on(loop, () -> {
            peer.setSoLinger(true, 0);
            peer.close();
            return true;
        });
        assertMessage(failureOf(read(socket)), "ECONNRESET");
    }

    @Test
    void bytesBehindAnUrgentOneAreRead() throws Exception {
        EventLoop loop = started();
        try (Socket peer = new Socket()) {
            StreamSocket socket = accepted(loop, peer);
            assertEquals("one", readOf(loop, socket, () -> send(peer, "one")));
            assertEquals("ab", readOf(loop, socket, () -> {
                send(peer, "ab");
                peer.sendUrgentData('!');
                return send(peer, "cd");
            }));
            get(read(socket));
            assertEquals("cd", LoopCase.text(buffer));
        }
    }

    /** The kernel ends a read where descriptors were sent, though a plain read drops them. */
    @Test
    void bytesBehindDescriptorsAreRead() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        List<StreamSocket> passed = pair(loop);
        assertEquals("one", readOf(loop, pair.get(1), () -> write(pair.get(0), "one")));
        for (boolean gather : new boolean[] {false, true}) {
            CompletableFuture<Integer> read = on(loop, () -> gather ? readTwo(pair.get(1)) : read(pair.get(1)));
            on(loop, () -> true);
            on(loop, () -> {
                var sent = pair.get(0)
                        .sendDescriptorsAsync(
                                LoopCase.bytes("ab"), passed.get(0).number());
                return write(pair.get(0), "cd") && !sent.isCompletedExceptionally();
            });
            assertEquals(2, get(read));
            get(read(pair.get(1)));
            assertEquals("cd", LoopCase.text(buffer));
        }
    }

    private CompletableFuture<Integer> readTwo(StreamSocket socket) {
        return socket.readSomeAsync(ByteBuffer.allocate(CAPACITY), ByteBuffer.allocate(CAPACITY));
    }

    @Test
    void bytesThatCameWhileNobodyReadAreFound() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        for (int i = 0; i < 20; i++) {
            assertEquals("one", readOf(loop, pair.get(1), () -> write(pair.get(0), "one")));
            // Seen by the loop, or not yet: both ways.
            on(loop, () -> write(pair.get(0), "two"));
            if (i % 2 == 0) {
                on(loop, () -> true);
            }
            get(read(pair.get(1)));
            assertEquals("two", LoopCase.text(buffer));
        }
    }

    @Test
    void aReadThatFilledItsBufferIsFollowedByTheRestAtOnce() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        String more = "0123456789abcdef and more";
        assertEquals(more.substring(0, CAPACITY), readOf(loop, pair.get(1), () -> write(pair.get(0), more)));
        get(read(pair.get(1)));
        assertEquals(more.substring(CAPACITY), LoopCase.text(buffer));
    }

    @Test
    void aMessageCostsOneReadAndNotASecondThatFindsNothing() throws Exception {
        int messages = 1_000;
        EventLoop loop = started();
        try (Socket peer = new Socket()) {
            StreamSocket socket = accepted(loop, peer);
            CompletableFuture<Integer> spared = new CompletableFuture<>();
            Operation reading = Operation.of(new Completion() {
                private int left = messages;
                private int futile;

                @Override
                public void completed(Operation done) {
                    if (left-- == 0) {
                        spared.complete(futile);
                        return;
                    }
                    buffer.clear();
                    socket.readSome(buffer, done);
                    futile += isFutile(socket, done) ? 1 : 0;
                    loop.execute(() -> assertTrue(write(peer)));
                }

                private boolean write(Socket to) {
                    try {
                        return send(to, "message");
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            });
            on(loop, () -> {
                socket.readSome(buffer, reading);
                return send(peer, "first");
            });
            assertEquals(messages, get(spared));
        }
    }

    /** Whether the backend has spared the system call of a read that it knows to find nothing. */
    private static boolean isFutile(StreamSocket socket, Operation read) {
        return SlotView.isFutile(socket.target(), read.request);
    }

    private static boolean write(StreamSocket socket, String text) {
        CompletableFuture<Integer> written = socket.writeSomeAsync(LoopCase.bytes(text));
        return !written.isCompletedExceptionally();
    }
}
