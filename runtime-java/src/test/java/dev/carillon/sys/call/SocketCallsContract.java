package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.IPPROTO_TCP;
import static dev.carillon.sys.layout.Constants.MSG_PEEK;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.POLLOUT;
import static dev.carillon.sys.layout.Constants.SHUT_WR;
import static dev.carillon.sys.layout.Constants.SOCK_DGRAM;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_LINGER;
import static dev.carillon.sys.layout.Constants.TCP_NODELAY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.SockaddrLayout;
import dev.carillon.sys.layout.SockaddrLayout.In;
import dev.carillon.sys.layout.SockaddrLayout.In6;
import dev.carillon.sys.layout.SockaddrLayout.Un;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

abstract class SocketCallsContract extends SysContract {
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final byte[] LOOPBACK6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final int BACK = 256;

    private final SocketCalls calls = sys.sockets();

    @TempDir
    private Path folder;

    SocketCallsContract(LibC libc) {
        super(libc);
    }

    private void awaitReady(int fd, int events) {
        PollSet set = sys.pollSet(1);
        set.set(0, fd, events);
        assertEquals(1, set.awaitUntil(System.nanoTime() + 30_000_000_000L), "nothing came for 30 s");
    }

    /** Listens, connects and accepts at the address in memory; sends a byte each way. */
    private void roundTrip(int domain, int length) {
        int listening = number(calls.open(domain, SOCK_STREAM));
        calls.bind(listening, at(0), length);
        calls.listen(listening, 8);
        assertEquals(-Errno.EAGAIN, calls.accept(listening));
        int bound = calls.localAddress(listening, at(BACK), SockaddrLayout.STORAGE_SIZE);
        assertEquals(domain, SockaddrLayout.family(memory.bytes(), BACK));
        int client = number(calls.open(domain, SOCK_STREAM));
        int connecting = calls.connect(client, at(BACK), bound);
        assertTrue(connecting == 0 || connecting == -Errno.EINPROGRESS, () -> "connecting=" + connecting);
        awaitReady(client, POLLOUT);
        assertEquals(0, calls.takeError(client));
        awaitReady(listening, POLLIN);
        int server = number(Fd.owning(libc, calls.accept(listening)));
        assertEquals(bound, calls.remoteAddress(client, at(BACK), SockaddrLayout.STORAGE_SIZE));
        exchange(client, server);
        exchange(server, client);
        assertTrue(calls.shutdown(client, SHUT_WR));
        awaitReady(server, POLLIN);
        assertEquals(0, calls.receive(server, at(BACK), 8, 0));
    }

    private void exchange(int from, int to) {
        memory.bytes().putLong(BACK, 0x55);
        assertEquals(8, calls.send(from, at(BACK), 8));
        awaitReady(to, POLLIN);
        assertEquals(8, calls.receive(to, at(BACK + 64), 64, MSG_PEEK));
        assertEquals(8, calls.receive(to, at(BACK + 64), 64, 0));
        assertEquals(0x55, memory.bytes().getLong(BACK + 64));
        assertEquals(-Errno.EAGAIN, calls.receive(to, at(BACK + 64), 64, 0));
    }

    @Test
    void ipv4CarriesBytesBothWays() {
        roundTrip(AF_INET, In.put(memory.bytes(), 0, LOOPBACK, 0));
        assertTrue(In.port(memory.bytes(), BACK) >= 0);
    }

    @Test
    void ipv6CarriesBytesBothWays() {
        roundTrip(AF_INET6, In6.put(memory.bytes(), 0, LOOPBACK6, 0, 0));
    }

    @Test
    void aUnixPathCarriesBytesBothWays() {
        byte[] path = folder.resolve("bell").toString().getBytes(StandardCharsets.UTF_8);
        roundTrip(AF_UNIX, Un.putPath(memory.bytes(), 0, path));
    }

    @Test
    void anAbstractNameCarriesBytesBothWays() {
        byte[] name = ("carillon-" + sys.processes().pid() + "-" + System.nanoTime()).getBytes(StandardCharsets.UTF_8);
        roundTrip(AF_UNIX, Un.putAbstract(memory.bytes(), 0, name));
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Un.putPath(memory.bytes(), 0, new byte[108]));
        assertThrows(IllegalArgumentException.class, () -> Un.putPath(memory.bytes(), 0, new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> Un.putAbstract(memory.bytes(), 0, new byte[108]));
    }

    @Test
    void aRefusedConnectIsAValue() {
        byte[] path = folder.resolve("nobody").toString().getBytes(StandardCharsets.UTF_8);
        int bound = number(calls.open(AF_UNIX, SOCK_STREAM));
        int length = Un.putPath(memory.bytes(), 0, path);
        calls.bind(bound, at(0), length);
        int client = number(calls.open(AF_UNIX, SOCK_STREAM));
        assertEquals(-Errno.ECONNREFUSED, calls.connect(client, at(0), length));
        assertEquals(-Errno.ENOTCONN, calls.remoteAddress(client, at(BACK), SockaddrLayout.STORAGE_SIZE));
    }

    @Test
    void datagramsTellTheirSender() {
        int receiver = number(calls.open(AF_INET, SOCK_DGRAM));
        calls.bind(receiver, at(0), In.put(memory.bytes(), 0, LOOPBACK, 0));
        int length = calls.localAddress(receiver, at(0), SockaddrLayout.STORAGE_SIZE);
        int sender = number(calls.open(AF_INET, SOCK_DGRAM));
        assertEquals(5, calls.sendTo(sender, at(512), 5, at(0), length));
        awaitReady(receiver, POLLIN);
        memory.bytes().putInt(BACK - 8, SockaddrLayout.STORAGE_SIZE);
        assertEquals(5, calls.receiveFrom(receiver, at(512), 64, 0, at(BACK), at(BACK - 8)));
        assertEquals(In.SIZE, memory.bytes().getInt(BACK - 8));
        calls.localAddress(sender, at(0), SockaddrLayout.STORAGE_SIZE);
        assertEquals(In.port(memory.bytes(), 0), In.port(memory.bytes(), BACK));
    }

    @Test
    void aPairKnowsWhoIsAtTheOtherEndAndThatItIsGone() {
        Fd[] pair = calls.pair(SOCK_STREAM);
        int end = number(pair[0]);
        PeerCredentials peer = calls.peerCredentials(end);
        assertEquals(new PeerCredentials(sys.processes().pid(), sys.processes().uid(), peer.gid()), peer);
        exchange(end, number(pair[1]));
        Fd[] other = calls.pair(SOCK_STREAM);
        int left = number(other[0]);
        other[1].close();
        assertEquals(-Errno.EPIPE, calls.send(left, at(0), 8));
        assertEquals(0, calls.receive(left, at(0), 8, 0));
    }

    @Test
    void anOptionIsReadAsItWasSet() {
        int socket = number(calls.open(AF_INET, SOCK_STREAM));
        assertEquals(0, calls.option(socket, IPPROTO_TCP, TCP_NODELAY));
        calls.setOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
        assertEquals(1, calls.option(socket, IPPROTO_TCP, TCP_NODELAY));
    }

    @Test
    void anOptionThatIsAStructureIsReadAsItWasSet() {
        int socket = number(calls.open(AF_INET, SOCK_STREAM));
        memory.bytes().putInt(0, 1).putInt(4, 7);
        calls.setOption(socket, SOL_SOCKET, SO_LINGER, at(0), 8);
        memory.bytes().putLong(0, 0);
        assertEquals(8, calls.option(socket, SOL_SOCKET, SO_LINGER, at(0), 64));
        assertEquals(7, memory.bytes().getInt(4));
        SyscallException e =
                assertThrows(SyscallException.class, () -> calls.setOption(socket, SOL_SOCKET, SO_LINGER, at(0), 3));
        assertEquals("setsockopt failed: EINVAL (22)", e.getMessage());
    }

    @Test
    void whatIsNoSocketFailsWithItsName() {
        int event = number(sys.clocks().event(0));
        SyscallException e = assertThrows(SyscallException.class, () -> calls.send(event, at(0), 8));
        assertEquals("sendto failed: ENOTSOCK (88)", e.getMessage());
    }

    // r[verify io.shared-flag]
    @Test
    void aSocketThatSomebodyLetsBlockIsNotWaitedFor() {
        Fd[] pair = calls.pair(SOCK_STREAM);
        int one = number(pair[0]);
        int other = number(pair[1]);
        sys.descriptors().setNonBlocking(one, false);
        sys.descriptors().setNonBlocking(other, false);
        assertEquals(-Errno.EAGAIN, calls.receive(one, at(0), 8, 0));
        long last;
        do {
            last = calls.send(one, at(0), 4096);
        } while (last > 0);
        assertEquals(-Errno.EAGAIN, last);
    }
}
