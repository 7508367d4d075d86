package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers on several loops: a listener on each, or one that hands its connections over. */
abstract class LoopServersContract extends LoopCase {
    private static final int MANY = 64;

    private EventLoopGroup group(int loops) {
        return closeLater(EventLoopGroup.start(loops, options().build()));
    }

    private static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }

    // r[verify io.listen-each]
    @Test
    void aListenerOnEachLoopSharesThePortOfTheFirst() {
        EventLoopGroup group = group(3);
        for (InetSocketAddress any : List.of(localFour(), localSix())) {
            List<ServerSocket> servers = ServerSocket.bindEach(group, any);
            servers.forEach(this::closeLater);
            assertEquals(3, servers.size());
            for (int i = 0; i < 3; i++) {
                assertSame(group.get(i), servers.get(i).eventLoop());
                assertEquals(servers.get(0).localAddress(), servers.get(i).localAddress());
                assertTrue(servers.get(i).option(StandardSocketOptions.SO_REUSEPORT));
            }
            assertNotEquals(0, port(servers.get(0).localAddress()));
        }
    }

    // r[verify io.listen-each]
    @Test
    void connectionsAreSpreadOverTheListenersAndNoneIsLost() {
        EventLoopGroup group = group(2);
        SocketAddress address = localFour();
        // region each
        SocketOptions options = SocketOptions.of(StandardSocketOptions.TCP_NODELAY, true);
        List<ServerSocket> servers = ServerSocket.bindEach(group, address, options);
        // endregion
        AtomicInteger[] counts = {new AtomicInteger(), new AtomicInteger()};
        for (int i = 0; i < counts.length; i++) {
            ServerSocket server = closeLater(servers.get(i));
            AtomicInteger count = counts[i];
            server.accept(Operation.of(done -> {
                if (done.value() instanceof StreamSocket socket) {
                    assertSame(server.eventLoop(), socket.eventLoop());
                    socket.close();
                    count.incrementAndGet();
                    server.accept(done);
                }
            }));
        }
        EventLoop clients = started();
        for (int i = 0; i < MANY; i++) {
            closeLater(get(StreamSocket.connect(clients, servers.get(0).localAddress())));
        }
        Deadline.after(LIMIT).await("all were accepted", () -> counts[0].get() + counts[1].get() == MANY);
        // That one listener has got all is as likely as 64 times heads.
        assertTrue(counts[0].get() > 0 && counts[1].get() > 0, () -> counts[0] + " and " + counts[1]);
    }

    // r[verify io.listen-each]
    @Test
    void whereOneListenerCannotBeBoundAllAreClosed() {
        EventLoopGroup group = group(3);
        ServerSocket taken = closeLater(ServerSocket.bind(group.get(0), localFour()));
        assertThrows(SyscallException.class, () -> ServerSocket.bindEach(group, taken.localAddress()));
        group.get(2).close();
        Map<Integer, String> before = Descriptors.ofProgram();
        assertThrows(RejectedExecutionException.class, () -> ServerSocket.bindEach(group, localFour()));
        Deadline.after(LIMIT)
                .await(
                        "no listener is left",
                        () -> Descriptors.openedSince(before).isEmpty());
    }

    // r[verify io.listen-each]
    @Test
    void aUnixSocketHasOneListener(@TempDir Path folder) {
        EventLoopGroup group = group(2);
        SocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> ServerSocket.bindEach(group, address)),
                "option=SO_REUSEPORT is not for a Unix listener");
    }

    private String echoed(StreamSocket from, StreamSocket to) {
        ByteBuffer buffer = ByteBuffer.allocate(5);
        CompletableFuture<?> read = to.readSomeAsync(buffer);
        get(from.writeAllAsync(bytes("hello")));
        get(read);
        return text(buffer);
    }

    // r[verify io.hand-over]
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsLiveOnTheLoopsOfTheGroupInTurnAndTheAcceptCompletesOnItsOwn(boolean unix, @TempDir Path folder) {
        EventLoop loop = started();
        EventLoopGroup group = group(2);
        SocketAddress at = unix ? UnixDomainSocketAddress.of(folder.resolve("socket")) : localFour();
        ServerSocket server = closeLater(ServerSocket.bind(loop, at));
        server.handOverTo(group);
        Set<EventLoop> loops = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Boolean> isHere = new CompletableFuture<>();
            CompletableFuture<StreamSocket> accepted = new CompletableFuture<>();
            server.accept(Operation.of(done -> {
                isHere.complete(loop.inLoop());
                accepted.complete((StreamSocket) Objects.requireNonNull(done.value()));
            }));
            StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
            StreamSocket socket = closeLater(get(accepted));
            assertTrue(get(isHere), "the accept is the listener's");
            assertSame(group.get(i % 2), socket.eventLoop());
            loops.add(socket.eventLoop());
            assertEquals("hello", echoed(client, socket));
            CompletableFuture<Boolean> onItsLoop = new CompletableFuture<>();
            Operation read =
                    Operation.of(done -> onItsLoop.complete(socket.eventLoop().inLoop()));
            socket.readSome(ByteBuffer.allocate(1), read);
            get(client.writeAllAsync(bytes("x")));
            assertTrue(get(onItsLoop), "the rest is the connection's");
        }
        assertEquals(2, loops.size());
    }

    // r[verify io.hand-over]
    @Test
    void loopsThatAreClosedArePassedOverAndWhereAllAreTheAcceptFailsAndTheClientIsTold() {
        EventLoop loop = started();
        EventLoopGroup group = group(2);
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        server.handOverTo(group);
        group.get(0).close();
        for (int i = 0; i < 3; i++) {
            closeLater(get(StreamSocket.connect(loop, server.localAddress())));
            assertSame(group.get(1), closeLater(get(server.acceptAsync())).eventLoop());
        }
        group.close();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        assertInstanceOf(ClosedException.class, failureOf(server.acceptAsync()));
        assertEquals(-1, get(client.readSomeAsync(ByteBuffer.allocate(1))), "nobody keeps the connection");
        assertTrue(server.isOpen());
        server.handOverTo(group(1));
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        closeLater(get(server.acceptAsync()));
    }

    // r[verify io.hand-over]
    @Test
    void aConnectionThatIsGivenBackKeepsItsLoopAndIsClosedWhereThatHasEnded() {
        EventLoop loop = started();
        EventLoopGroup group = group(2);
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        server.handOverTo(group);
        List<StreamSocket> clients = new ArrayList<>();
        List<StreamSocket> sockets = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(closeLater(get(StreamSocket.connect(loop, server.localAddress()))));
            sockets.add(closeLater(get(server.acceptAsync())));
        }
        server.giveBack(sockets.get(1));
        assertSame(sockets.get(1), get(server.acceptAsync()));
        assertSame(group.get(1), sockets.get(1).eventLoop());
        server.giveBack(sockets.get(0));
        server.giveBack(sockets.get(1));
        group.get(0).close();
        assertSame(sockets.get(1), get(server.acceptAsync()));
        assertFalse(sockets.get(0).isOpen());
        assertEquals(-1, get(clients.get(0).readSomeAsync(ByteBuffer.allocate(1))));
        server.giveBack(sockets.get(1));
        get(server.closeAsync());
        assertEquals(-1, get(clients.get(1).readSomeAsync(ByteBuffer.allocate(1))), "closed with the listener");
        assertTrue(sockets.get(2).isOpen(), "what was accepted lives on");
    }
}
