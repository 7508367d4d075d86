package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams. */
abstract class DatagramContract extends LoopCase {
    private void travels(SocketAddress one, SocketAddress two) {
        PollingLoop loop = started();
        DatagramSocket left = closeLater(DatagramSocket.bind(loop, one));
        DatagramSocket right = closeLater(DatagramSocket.bind(loop, two));
        SocketAddress to = Objects.requireNonNull(right.localAddress());
        ByteBuffer buffer = ByteBuffer.allocate(64);
        CompletableFuture<Datagram> receiving = right.receiveAsync(buffer);
        assertEquals(4, get(left.sendAsync(StreamContract.bytes("ping"), to)));
        assertEquals(new Datagram(4, left.localAddress(), false), get(receiving));
        assertEquals("ping", StreamContract.text(buffer));
        get(left.sendAsync(StreamContract.direct("0123456789"), to));
        ByteBuffer small = ByteBuffer.allocateDirect(4);
        Datagram cut = get(right.receiveAsync(small));
        assertTrue(cut.isTruncated());
        assertEquals(10, cut.length());
        assertEquals("0123", StreamContract.text(small));
        DatagramSocket connected = closeLater(DatagramSocket.connect(loop, to));
        assertEquals(3, get(connected.sendAsync(StreamContract.bytes("abc"))));
        assertEquals(3, get(right.receiveAsync(buffer.clear())).length());
        assertFalse(buffer.position() == 0);
    }

    @Test
    void udpOverVersionFourTravels() throws Exception {
        InetSocketAddress any = localFour();
        travels(any, any);
    }

    @Test
    void udpOverVersionSixTravels() throws Exception {
        InetSocketAddress any = localSix();
        travels(any, any);
    }

    @Test
    void unixDatagramsTravel(@TempDir Path folder) {
        travels(UnixDomainSocketAddress.of(folder.resolve("a")), UnixDomainSocketAddress.of(folder.resolve("b")));
    }

    @Test
    void aDatagramThatIsTooLongFails() throws Exception {
        PollingLoop loop = started();
        InetSocketAddress any = localFour();
        DatagramSocket socket = closeLater(DatagramSocket.bind(loop, any));
        SocketAddress to = Objects.requireNonNull(socket.localAddress());
        SyscallException failure = assertInstanceOf(
                SyscallException.class, failureOf(socket.sendAsync(ByteBuffer.allocateDirect(70_000), to)));
        assertEquals("EMSGSIZE", failure.errnoName());
        assertInstanceOf(IllegalArgumentException.class, failureOf(socket.sendAsync(ByteBuffer.allocate(70_000), to)));
    }
}
