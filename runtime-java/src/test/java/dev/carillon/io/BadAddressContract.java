package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.proc.Descriptors;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses where nothing is, or something else, and deadlines of all sizes; what the user is told. */
abstract class BadAddressContract extends LoopCase {
    private static final int LONGEST = 107;

    @TempDir
    private Path folder;

    private UnixDomainSocketAddress path(String name) {
        return UnixDomainSocketAddress.of(folder.resolve(name));
    }

    /** A name of this process alone: an abstract one is the whole machine's. */
    private static SocketAddress longestAbstract() {
        String own = "carillon-test-" + ProcessHandle.current().pid() + "-";
        return AbstractSocketAddress.of(own + "y".repeat(LONGEST - own.length()));
    }

    private Throwable connecting(SocketAddress address) {
        return failureOf(StreamSocket.connect(started(), address));
    }

    private SyscallException binding(SocketAddress address) {
        return assertThrows(SyscallException.class, () -> ServerSocket.bind(open(), address));
    }

    @Test
    void theLongestNamesOfUnixSocketsWorkAndOneByteMoreIsRefused() {
        EventLoop loop = started();
        String rest = "x".repeat(LONGEST - folder.toString().length() - 1);
        for (SocketAddress longest : List.of(path(rest), longestAbstract())) {
            ServerSocket server = closeLater(ServerSocket.bind(loop, longest));
            assertEquals(longest, server.localAddress());
            StreamSocket client = closeLater(get(StreamSocket.connect(loop, longest)));
            assertEquals(longest, client.remoteAddress());
            closeLater(get(server.acceptAsync()));
        }
        for (SocketAddress longer : List.of(path(rest + "x"), AbstractSocketAddress.of("ä".repeat(54)))) {
            assertMessage(
                    assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, longer)),
                    " has 108 bytes: the name of a Unix socket has 1 to 107");
            assertThrows(IllegalArgumentException.class, () -> ServerSocket.bind(loop, longer));
        }
    }

    @Test
    void anAddressInUseIsNamedWithWhatToDo() {
        EventLoop loop = open();
        ServerSocket port = closeLater(ServerSocket.bind(loop, localFour()));
        assertEquals(
                "bind failed: EADDRINUSE (98): address=" + port.localAddress()
                        + ": another socket has it; end that one, or choose another port (0 lets the kernel choose)",
                binding(port.localAddress()).getMessage());
        closeLater(ServerSocket.bind(loop, path("socket")));
        assertEquals(
                "bind failed: EADDRINUSE (98): address=" + folder.resolve("socket")
                        + ": that path exists; if no server runs there any more, delete the file",
                binding(path("socket")).getMessage());
    }

    @Test
    void anAddressThatCannotBeHadIsNamedWithTheReason() throws Exception {
        assertMessage(
                binding(path("missing/socket")), "address=" + folder.resolve("missing/socket") + ": the directory");
        Files.writeString(folder.resolve("file"), "");
        assertMessage(binding(path("file/socket")), "is no directory");
        // TEST-NET-1: nobody has it.
        assertMessage(binding(new InetSocketAddress("192.0.2.1", 0)), "no interface of this machine has that address");
    }

    // r[verify io.connect]
    @Test
    void aPathThatIsNoSocketIsToldApart() throws Exception {
        Files.writeString(folder.resolve("file"), "");
        for (Path other : List.of(folder.resolve("file"), folder)) {
            Throwable refused = connecting(UnixDomainSocketAddress.of(other));
            assertInstanceOf(ConnectException.class, refused);
            assertEquals(
                    "connection refused to " + other
                            + ": nobody listens there; either its server has ended and left the path, or that file is"
                            + " no socket",
                    refused.getMessage());
        }
        Throwable missing = assertInstanceOf(ConnectException.class, connecting(path("missing")));
        assertMessage(missing, "there is no such path");
        assertMessage(connecting(path("file/socket")), "ENOTDIR (20): to " + folder.resolve("file/socket"));
        closeLater(DatagramSocket.bind(open(), path("datagrams")));
        assertMessage(connecting(path("datagrams")), "a socket of another type listens there");
    }

    @Test
    void anAddressOfAnotherKindIsToldWithTheReason() {
        EventLoop loop = started();
        DatagramSocket four = closeLater(DatagramSocket.bind(loop, localFour()));
        for (SocketAddress other : List.of(localSix(), path("datagrams"), localFour())) {
            Throwable failure = failureOf(four.sendAsync(ByteBuffer.allocate(1), other));
            assertMessage(failure, "this socket cannot reach such an address");
        }
        DatagramSocket unix = closeLater(DatagramSocket.bind(loop, path("datagrams")));
        assertMessage(
                failureOf(unix.sendAsync(ByteBuffer.allocate(1), localFour())),
                "this socket cannot reach such an address");
    }

    // r[verify io.connect]
    @Test
    void aServerThatHasEndedIsRefusedWithItsAddress() {
        EventLoop loop = started();
        ServerSocket server = ServerSocket.bind(loop, path("socket"));
        get(server.closeAsync());
        assertMessage(connecting(path("socket")), "its server has ended and left the path");
        ServerSocket port = ServerSocket.bind(loop, localSix());
        SocketAddress address = port.localAddress();
        get(port.closeAsync());
        assertEquals(
                "connection refused to " + address
                        + ": nobody listens there; start the server first, or correct the address",
                connecting(address).getMessage());
    }

    private ServerSocket full(EventLoop loop) {
        ServerSocket server = closeLater(ServerSocket.bind(loop, path("full"), 0));
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        return server;
    }

    // r[verify io.connect]
    @Test
    void aDeadlineThatIsOverFailsAConnectThatWouldWait() {
        EventLoop loop = started();
        SocketAddress address = full(loop).localAddress();
        for (Duration over : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            Throwable failure = failureOf(StreamSocket.connect(loop, address, over));
            assertInstanceOf(SocketTimeoutException.class, failure);
            assertMessage(failure, address + " was not made before its deadline");
        }
    }

    // r[verify io.connect]
    @Test
    void aConnectWithoutEndWaitsUntilThereIsRoom() {
        EventLoop loop = started();
        ServerSocket server = full(loop);
        List<CompletableFuture<StreamSocket>> waiting = List.of(
                StreamSocket.connect(loop, server.localAddress(), Duration.ofSeconds(Long.MAX_VALUE)),
                StreamSocket.connect(loop, server.localAddress(), Duration.ofNanos(Long.MAX_VALUE)));
        on(loop, () -> true);
        assertTrue(waiting.stream().noneMatch(CompletableFuture::isDone));
        for (int i = 0; i < 3; i++) {
            get(server.acceptAsync()).close();
        }
        waiting.forEach(future -> get(future).close());
    }

    // r[verify loop.no-leak]
    @Test
    void aConnectThatAnEndedLoopRefusesLeavesNoDescriptor() {
        EventLoop loop = open();
        loop.close();
        SocketAddress address = localFour();
        int before = Descriptors.count();
        for (int i = 0; i < 50; i++) {
            assertMessage(
                    assertThrows(RejectedExecutionException.class, () -> StreamSocket.connect(loop, address)),
                    "has ended");
        }
        int after = Descriptors.count();
        assertTrue(after < before + 50, () -> before + " descriptors before, " + after + " after");
    }
}
