package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.IPPROTO_IP;
import static java.net.StandardSocketOptions.IP_MULTICAST_IF;
import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_LINGER;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_REUSEPORT;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static java.net.StandardSocketOptions.TCP_NODELAY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What options of sockets bring about, and what a set of them is. */
// r[verify io.options]
abstract class OptionEffectsContract extends LoopCase {
    static InetSocketAddress at(int port) {
        return new InetSocketAddress(localFour().getAddress(), port);
    }

    static void assertErrno(String errno, String why, org.junit.jupiter.api.function.Executable call) {
        SyscallException failure = assertThrows(SyscallException.class, call);
        assertEquals(errno, failure.errnoName());
        assertMessage(failure, why);
    }

    @Test
    void theLastValueOfAnOptionCountsAndSetsDoNotChange() {
        SocketOptions one = SocketOptions.of(SO_RCVBUF, 1);
        SocketOptions two = one.and(SO_RCVBUF, 2).and(SO_SNDBUF, 3);
        assertEquals(SocketOptions.of(SO_RCVBUF, 1), one);
        assertEquals(SocketOptions.of(SO_SNDBUF, 3).and(SO_RCVBUF, 2), two);
        assertEquals("{SO_RCVBUF=2, SO_SNDBUF=3}", two.toString());
        assertEquals(SocketOptions.none(), SocketOptions.none());
    }

    @Test
    void withoutAnInterfaceForMulticastTheQuestionIsRefused() {
        for (InetSocketAddress address : List.of(localFour(), localSix())) {
            DatagramSocket socket = closeLater(DatagramSocket.bind(started(), address));
            assertMessage(
                    assertThrows(IllegalStateException.class, () -> socket.option(IP_MULTICAST_IF)),
                    "no interface was set");
        }
    }

    /** Linux does that as the last of the bind; after it, the option would be too late. */
    @Test
    void anIpVersionSixSocketServesVersionFourOrLeavesItAlone() {
        EventLoop loop = started();
        InetSocketAddress all = new InetSocketAddress(OptionSamples.ip("::"), 0);
        SocketOptions both = SocketOptions.of(LinuxSocketOptions.IPV6_V6ONLY, false);
        ServerSocket server = closeLater(ServerSocket.bind(loop, all, both));
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        closeLater(get(StreamSocket.connect(loop, at(port))));
        closeLater(get(server.acceptAsync()));
        boolean isLeftAlone = false;
        for (int i = 0; i < 20 && !isLeftAlone; i++) {
            isLeftAlone = leavesVersionFourAlone(loop, all);
        }
        assertTrue(isLeftAlone, "20 ports that a socket had for IPv6 only were taken for IPv4, too");
    }

    /** Any other program may have the same port for IPv4. */
    private boolean leavesVersionFourAlone(EventLoop loop, InetSocketAddress all) {
        SocketOptions only = SocketOptions.of(LinuxSocketOptions.IPV6_V6ONLY, true);
        ServerSocket six = closeLater(ServerSocket.bind(loop, all, only));
        int shared = ((InetSocketAddress) six.localAddress()).getPort();
        try {
            ServerSocket four = closeLater(ServerSocket.bind(loop, at(shared)));
            assertEquals(at(shared), four.localAddress());
            return true;
        } catch (SyscallException taken) {
            assertEquals("EADDRINUSE", taken.errnoName());
            return false;
        }
    }

    @Test
    void severalSocketsShareAPortByTheOptionOnly() {
        EventLoop loop = started();
        SocketOptions shared = SocketOptions.of(SO_REUSEPORT, true);
        ServerSocket first = closeLater(ServerSocket.bind(loop, localFour(), shared));
        ServerSocket second = closeLater(ServerSocket.bind(loop, first.localAddress(), shared));
        assertEquals(first.localAddress(), second.localAddress());
        assertErrno("EADDRINUSE", "another socket has it", () -> ServerSocket.bind(loop, first.localAddress()));
        DatagramSocket one = closeLater(DatagramSocket.bind(loop, localFour(), shared));
        SocketAddress where = Objects.requireNonNull(one.localAddress());
        closeLater(DatagramSocket.bind(loop, where, shared));
        assertErrno("EADDRINUSE", "another socket has it", () -> DatagramSocket.bind(loop, where));
    }

    @Test
    void aConnectionHasSeveralOptions() {
        EventLoop loop = started();
        SocketAddress address = closeLater(ServerSocket.bind(loop, localFour())).localAddress();
        // region options
        SocketOptions options = SocketOptions.of(StandardSocketOptions.TCP_NODELAY, true)
                .and(StandardSocketOptions.SO_RCVBUF, 1 << 20)
                .and(LinuxSocketOptions.TCP_USER_TIMEOUT, Duration.ofSeconds(20));
        CompletableFuture<StreamSocket> connecting = StreamSocket.connect(loop, address, options);
        // endregion
        StreamSocket socket = closeLater(get(connecting));
        assertTrue(socket.option(TCP_NODELAY));
        assertEquals(Duration.ofSeconds(20), socket.option(LinuxSocketOptions.TCP_USER_TIMEOUT));
    }

    @Test
    void aListenerCanGiveUpTheAddressThatItWouldShareByItself() {
        EventLoop loop = started();
        assertTrue(closeLater(ServerSocket.bind(loop, localFour())).option(SO_REUSEADDR));
        SocketOptions without = SocketOptions.of(SO_REUSEADDR, false);
        assertFalse(closeLater(ServerSocket.bind(loop, localFour(), without)).option(SO_REUSEADDR));
    }

    @Test
    void connectionsHaveTheOptionsOfTheirListener() {
        EventLoop loop = started();
        SocketOptions options =
                SocketOptions.of(TCP_NODELAY, true).and(SO_LINGER, 3).and(LinuxSocketOptions.TCP_KEEPCNT, 4);
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour(), options));
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket accepted = closeLater(get(server.acceptAsync()));
        assertTrue(accepted.option(TCP_NODELAY));
        assertEquals(3, accepted.option(SO_LINGER));
        assertEquals(4, accepted.option(LinuxSocketOptions.TCP_KEEPCNT));
    }

    @Test
    void theServiceOfAnIpVersionSixSocketIsAlsoThatOfItsVersionFourPackets() {
        DatagramSocket socket = closeLater(DatagramSocket.bind(started(), localSix(), SocketOptions.of(IP_TOS, 0x20)));
        assertEquals(0x20, Sys.get().sockets().option(socket.number(), IPPROTO_IP, Constants.IP_TOS));
    }

    // r[verify sys.close-elsewhere]
    @Test
    void aCloseThatLingersHoldsUpNoLoop() {
        Duration patience = LIMIT.multipliedBy(3);
        for (String by : List.of("listener", "socket", "descriptor")) {
            boolean byListener = by.equals("listener");
            EventLoop loop = started();
            SocketOptions lingering = SocketOptions.of(SO_LINGER, (int) patience.toSeconds());
            ServerSocket server =
                    closeLater(ServerSocket.bind(loop, localFour(), byListener ? lingering : SocketOptions.none()));
            SocketOptions small = SocketOptions.of(SO_RCVBUF, 4096);
            StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress(), small)));
            StreamSocket accepted = get(server.acceptAsync());
            if (!byListener) {
                accepted.option(SO_LINGER, (int) patience.toSeconds());
            }
            int taken = get(accepted.writeSomeAsync(ByteBuffer.allocateDirect(1 << 20)));
            assertTrue(taken > 32_768, "more than the other side has room for: " + taken);
            Handle handle = by.equals("descriptor") ? Descriptor.adopt(loop, get(accepted.detachAsync())) : accepted;
            CompletableFuture<?> closing = handle.closeAsync();
            on(loop, () -> null);
            assertFalse(closing.isDone(), "the other side has not taken what was sent");
            client.close();
            get(closing);
        }
    }

    @Test
    void aFailedBindAndAFailedConnectLeaveNothing() {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        SocketOptions options = SocketOptions.of(SO_RCVBUF, 4096);
        Map<Integer, String> before = Descriptors.ofProgram();
        assertErrno("EADDRINUSE", "address", () -> ServerSocket.bind(loop, server.localAddress(), options));
        SocketAddress nobody = at(1);
        Assumptions.assumeFalse(
                StreamSocket.connect(loop, nobody, options)
                        .handle((socket, failure) -> failure == null)
                        .join(),
                "somebody listens at port 1");
        Deadline.after(LIMIT)
                .await("nothing is left", () -> Descriptors.openedSince(before).isEmpty());
    }
}
