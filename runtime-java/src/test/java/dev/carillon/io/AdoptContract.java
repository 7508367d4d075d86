package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.SOCK_DGRAM;
import static dev.carillon.sys.layout.Constants.SOCK_SEQPACKET;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_SNDBUF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets that become handles, and handles that give their sockets away. */
abstract class AdoptContract extends LoopCase {
    private static final SocketAddress ANYWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final int GIVEN = Boolean.getBoolean("carillon.stress") ? 5_000 : 300;

    private final Sys sys = Sys.get();

    @TempDir
    Path folder;

    /** As a parent or a peer has it: it blocks, and children inherit it. */
    private int foreign(Handle handle) {
        int number = get(handle.detachAsync());
        sys.descriptors().setNonBlocking(number, false);
        sys.descriptors().setCloseOnExec(number, false);
        return number;
    }

    private int socket(int family, int type) {
        return sys.sockets().open(family, type).acquire();
    }

    private void close(int number) {
        Fd.owning(sys.libc(), number).close();
    }

    private ServerSocket listening(EventLoop loop, boolean unix) {
        return ServerSocket.bind(loop, unix ? UnixDomainSocketAddress.of(folder.resolve("socket")) : ANYWHERE);
    }

    // r[verify io.adopt] r[verify io.detach]
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListenerAcceptsAfterItWasGivenAwayAndTakenOver(boolean unix) {
        EventLoop loop = started();
        ServerSocket first = listening(loop, unix);
        SocketAddress address = first.localAddress();
        int number = foreign(first);
        ServerSocket second = closeLater(ServerSocket.adopt(loop, number));
        assertEquals(address, second.localAddress());
        assertTrue(sys.descriptors().isNonBlocking(number));
        assertTrue(sys.descriptors().isCloseOnExec(number));
        CompletableFuture<StreamSocket> accepted = second.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, address)));
        StreamSocket server = closeLater(get(accepted));
        assertEquals("hello", said(client, server));
    }

    // r[verify io.adopt] r[verify io.detach]
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionGoesOnInAnotherHandleAndOnAnotherLoop(boolean unix) {
        EventLoop loop = started();
        ServerSocket listener = closeLater(listening(loop, unix));
        CompletableFuture<StreamSocket> accepted = listener.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, listener.localAddress())));
        StreamSocket server = get(accepted);
        assertEquals("hello", said(client, server));
        StreamSocket moved = closeLater(StreamSocket.adopt(started(), foreign(server)));
        assertEquals("hello", said(client, moved));
        assertEquals("hello", said(moved, client));
    }

    // r[verify io.adopt] r[verify io.detach]
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void datagramsGoOnInAnotherHandle(boolean unix) {
        EventLoop loop = started();
        DatagramSocket first =
                DatagramSocket.bind(loop, unix ? UnixDomainSocketAddress.of(folder.resolve("datagrams")) : ANYWHERE);
        SocketAddress address = Objects.requireNonNull(first.localAddress());
        DatagramSocket second = closeLater(DatagramSocket.adopt(loop, foreign(first)));
        DatagramSocket sender = closeLater(DatagramSocket.connect(loop, address));
        assertEquals(2, get(sender.sendAsync(LoopCase.bytes("ab"))));
        assertEquals(2, get(second.receiveAsync(ByteBuffer.allocate(8))).length());
    }

    private String said(StreamSocket from, StreamSocket to) {
        ByteBuffer buffer = ByteBuffer.allocate(5);
        CompletableFuture<?> read = to.readSomeAsync(buffer);
        get(from.writeAllAsync(LoopCase.bytes("hello")));
        get(read);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
    }

    // r[verify io.adopt]
    @Test
    void whatIsSomethingElseIsRefusedSaysWhatItIsAndStaysAsItWas() {
        EventLoop loop = started();
        int listener = foreign(listening(loop, false));
        List<StreamSocket> pair = pair(loop);
        int connected = foreign(pair.get(0));
        int fresh = socket(AF_INET, SOCK_STREAM);
        int datagrams = socket(AF_INET, SOCK_DGRAM);
        int packets = socket(AF_UNIX, SOCK_SEQPACKET);
        Fd[] pipe = sys.descriptors().pipe(false);
        int noSocket = pipe[0].acquire();
        int[] given = {listener, connected, fresh, datagrams, packets, noSocket};
        Map<Integer, String> before = Descriptors.ofProgram();

        assertRefused(ServerSocket::adopt, loop, connected, "one that does not listen");
        assertRefused(ServerSocket::adopt, loop, fresh, "one that does not listen");
        assertRefused(ServerSocket::adopt, loop, datagrams, "adopt it as a DatagramSocket");
        assertRefused(ServerSocket::adopt, loop, noSocket, "no socket at all");
        assertRefused(StreamSocket::adopt, loop, listener, "adopt it as a ServerSocket");
        assertRefused(StreamSocket::adopt, loop, fresh, "without a peer");
        assertRefused(StreamSocket::adopt, loop, packets, "of type 5");
        assertRefused(StreamSocket::adopt, loop, datagrams, "adopt it as a DatagramSocket");
        assertRefused(DatagramSocket::adopt, loop, connected, "a stream socket");
        assertRefused(DatagramSocket::adopt, loop, noSocket, "no socket at all");

        Deadline.after(LIMIT)
                .await(
                        "nothing is left open",
                        () -> Descriptors.openedSince(before).isEmpty());
        Map<Integer, String> after = Descriptors.ofProgram();
        for (int number : given) {
            assertEquals(before.get(number), after.get(number));
        }
        assertFalse(sys.descriptors().isNonBlocking(listener));
        assertFalse(sys.descriptors().isCloseOnExec(listener));
        for (int number : given) {
            close(number);
        }
        pipe[1].close();
        pair.get(1).close();
    }

    private static void assertRefused(
            BiFunction<EventLoop, Integer, Handle> adopt, EventLoop loop, int number, String why) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> adopt.apply(loop, number));
        assertTrue(refused.toString().contains("fd=" + number + " is not a"), refused::toString);
        assertTrue(refused.toString().contains(why), refused::toString);
    }

    // r[verify io.adopt]
    @Test
    void whatIsNotOpenIsRefused() {
        EventLoop loop = started();
        assertThrows(IllegalArgumentException.class, () -> ServerSocket.adopt(loop, -1));
        assertEquals(
                "EBADF",
                assertThrows(SyscallException.class, () -> StreamSocket.adopt(loop, 1_000_000))
                        .errnoName());
    }

    // r[verify io.adopt]
    @Test
    void aNumberIsAdoptedOnceUntilItsHandleIsClosed() {
        EventLoop loop = started();
        int number = foreign(listening(loop, false));
        int copy = sys.descriptors().duplicateFrom(number, 0).acquire();
        ServerSocket first = ServerSocket.adopt(loop, number);
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> ServerSocket.adopt(loop, number));
        assertTrue(refused.toString().contains("was adopted before"), refused::toString);
        assertTrue(first.isOpen());
        get(first.closeAsync());
        assertFalse(sys.descriptors().isNonBlocking(copy), "others that share it find it as it was");
        Deadline.after(LIMIT).await("the number is free", () -> takes(copy, number));
        get(ServerSocket.adopt(loop, number).closeAsync());
        close(copy);
    }

    /** Whether a copy has got that number. The VM has files of its own open at any time, each for a moment. */
    private boolean takes(int original, int number) {
        int found = sys.descriptors().duplicateFrom(original, number).acquire();
        if (found != number) {
            close(found);
        }
        return found == number;
    }

    // r[verify io.adopt]
    @Test
    void noTwoHandlesOfAnyKindHaveOneNumber() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        int number = foreign(pair.get(0));
        Descriptor plain = Descriptor.adopt(loop, number);
        assertThrows(IllegalStateException.class, () -> Descriptor.adopt(loop, number));
        assertThrows(IllegalStateException.class, () -> StreamSocket.adopt(loop, number));
        assertEquals(number, get(plain.detachAsync()));
        StreamSocket socket = StreamSocket.adopt(loop, number);
        assertThrows(IllegalStateException.class, () -> Descriptor.adopt(loop, number));
        get(socket.closeAsync());
    }

    // r[verify sys.fd-given]
    @Test
    void noCallThatWasInsideHitsWhatTheNumberMeansNext() throws InterruptedException {
        EventLoop loop = started();
        for (int i = 0; i < GIVEN; i++) {
            List<StreamSocket> pair = pair(loop);
            StreamSocket given = pair.get(0);
            Hitter hitter = new Hitter(given);
            hitter.start();
            Deadline.after(LIMIT).await("it calls", () -> hitter.calls > 0);
            int number = get(given.detachAsync());
            close(number);
            int next = socket(AF_INET, SOCK_STREAM);
            int before = sys.sockets().option(next, SOL_SOCKET, SO_SNDBUF);
            hitter.join();
            assertEquals(before, sys.sockets().option(next, SOL_SOCKET, SO_SNDBUF), "fd=" + next + " after " + number);
            close(next);
            pair.get(1).close();
        }
    }

    /** Sets an option of a socket as fast as it can, until that is closed. */
    private static final class Hitter extends Thread {
        private final StreamSocket socket;
        private volatile int calls;

        Hitter(StreamSocket socket) {
            super("hitter");
            this.socket = socket;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    socket.option(StandardSocketOptions.SO_SNDBUF, 5_000);
                    calls = 1;
                }
            } catch (ClosedException given) {
                calls = 2;
            }
        }
    }

    // r[verify io.adopt] r[verify io.closed-loop]
    @Test
    void aClosedLoopAdoptsNothing() {
        EventLoop loop = started();
        int number = foreign(listening(loop, false));
        loop.close();
        assertThrows(RejectedExecutionException.class, () -> ServerSocket.adopt(loop, number));
        assertFalse(sys.descriptors().isNonBlocking(number));
        close(number);
    }

    // r[verify io.detach]
    @Test
    void whatWaitsOnAHandleThatIsDetachedFailsAndNothingBegins() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<Integer> read = pair.get(0).readSomeAsync(ByteBuffer.allocate(1));
        int number = get(pair.get(0).detachAsync());
        assertInstanceOf(ClosedException.class, Futures.failureOf(read));
        assertFalse(pair.get(0).isOpen());
        assertThrows(ClosedException.class, () -> pair.get(0).detachAsync());
        assertThrows(ClosedException.class, () -> pair.get(0).localAddress());
        assertInstanceOf(ClosedException.class, Futures.failureOf(pair.get(0).readSomeAsync(ByteBuffer.allocate(1))));
        get(pair.get(0).closeAsync());
        StreamSocket again = closeLater(StreamSocket.adopt(loop, number));
        assertEquals("hello", said(pair.get(1), again));
    }

    // r[verify io.detach]
    @Test
    void aHandleOfALoopThatHasEndedIsDetachedToo() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        loop.close();
        close(get(pair.get(0).detachAsync()));
        pair.get(1).close();
    }

    // r[verify io.detach]
    @Test
    void aDescriptorThatNobodyTakesIsClosed() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        CompletableFuture<Integer> read = pair.get(1).readSomeAsync(ByteBuffer.allocate(1));
        CountDownLatch cancelled = new CountDownLatch(1);
        loop.execute(() -> awaitQuietly(cancelled));
        pair.get(0).detachAsync().cancel(false);
        cancelled.countDown();
        assertEquals(-1, get(read), "the other end is closed");
        pair.get(1).close();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts it", e);
        }
    }
}
