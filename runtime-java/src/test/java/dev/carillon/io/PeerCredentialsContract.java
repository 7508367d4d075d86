package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.ClosedException;
import dev.carillon.PeerCredentials;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is at the other end of a socket. */
// r[verify io.peer-credentials]
abstract class PeerCredentialsContract extends LoopCase {
    private static final int NOBODY = 65_534;

    private static PeerCredentials own() throws Exception {
        int uid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        int gid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        return new PeerCredentials(Sys.get().processes().pid(), uid, gid);
    }

    private StreamSocket[] connected(SocketAddress at) {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, at));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        return new StreamSocket[] {client, closeLater(get(accepted))};
    }

    @Test
    void bothEndsOfAUnixSocketAreToldWhoIsThere(@TempDir Path folder) throws Exception {
        for (SocketAddress at : List.of(
                UnixDomainSocketAddress.of(folder.resolve("socket")),
                AbstractSocketAddress.of(
                        "carillon-peer-" + ProcessHandle.current().pid()))) {
            for (StreamSocket end : connected(at)) {
                assertEquals(own(), end.peerCredentials());
            }
        }
        for (StreamSocket end : pair(started())) {
            assertEquals(own(), end.peerCredentials());
        }
    }

    @Test
    void theOtherEndIsKnownWhenItHasGone() throws Exception {
        List<StreamSocket> pair = pair(started());
        get(pair.get(0).closeAsync());
        assertEquals(own(), pair.get(1).peerCredentials());
        get(pair.get(1).closeAsync());
        assertThrows(ClosedException.class, () -> pair.get(1).peerCredentials());
    }

    @Test
    void overTcpNobodyIsKnown() {
        for (StreamSocket end : connected(localFour())) {
            assertMessage(assertThrows(IllegalStateException.class, end::peerCredentials), "is no Unix socket");
        }
    }

    @Test
    void beforeItIsConnectedNobodyIsThere(@TempDir Path folder) {
        try (EventLoop unrun = EventLoop.open()) {
            SocketAddress at = UnixDomainSocketAddress.of(folder.resolve("socket"));
            Operation connecting = Operation.of(done -> {});
            try (ServerSocket server = ServerSocket.bind(unrun, at);
                    StreamSocket socket = StreamSocket.connect(unrun, at, LIMIT, connecting)) {
                assertMessage(
                        assertThrows(IllegalStateException.class, socket::peerCredentials),
                        "is not connected, so nobody is at the other end");
                assertEquals(at, server.localAddress());
            }
        }
    }

    @Test
    void anotherProcessAndAnotherUserAreTold(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(own().uid() == 0, "only root can start another user");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path path = folder.resolve("socket");
        try (ServerSocket server = ServerSocket.bind(started(), UnixDomainSocketAddress.of(path))) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
            try (ChildProcess child = ChildJvm.of(Nobody.class)
                            .user(NOBODY, NOBODY)
                            .workingDirectory(folder)
                            .args(path.toString())
                            .start();
                    StreamSocket socket = get(server.acceptAsync())) {
                assertEquals(new PeerCredentials((int) child.pid(), NOBODY, NOBODY), socket.peerCredentials());
                get(socket.writeSomeAsync(bytes("x")));
                ChildExit exit = child.awaitExit(LIMIT);
                assertEquals(List.of(own().toString()), exit.stdout(), exit::toString);
                // It has ended, and is known for what it was.
                assertEquals(NOBODY, socket.peerCredentials().uid());
            }
        }
    }

    static final class Nobody {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start();
                    StreamSocket socket = get(StreamSocket.connect(loop, UnixDomainSocketAddress.of(args[0])))) {
                System.out.println(socket.peerCredentials());
                get(socket.readSomeAsync(ByteBuffer.allocate(1)));
            }
        }
    }

    // r[verify io.scm-rights]
    @Test
    void allDescriptorsComeWithTheFirstByteOfTheirMessageHoweverSmallTheBuffer() {
        List<StreamSocket> pair = pair(started());
        List<StreamSocket> first = pair(pair.get(0).eventLoop());
        List<StreamSocket> second = pair(pair.get(0).eventLoop());
        int[] numbers = {first.get(0).number(), second.get(0).number()};
        get(pair.get(0).sendDescriptorsAsync(bytes("one by one"), numbers));
        get(pair.get(0).sendDescriptorsAsync(bytes("two"), numbers[1]));
        ByteBuffer one = ByteBuffer.allocate(1);
        ReceivedDescriptors received = get(pair.get(1).receiveDescriptorsAsync(one, 8));
        assertEquals(1, received.bytes());
        assertEquals(2, received.descriptors().size());
        ByteBuffer rest = ByteBuffer.allocate(64);
        ReceivedDescriptors without = get(pair.get(1).receiveDescriptorsAsync(rest, 8));
        // Bytes of the next message may come along, and its descriptors then, too; never those without these.
        int more = without.bytes() == 9 ? 0 : 1;
        assertEquals(more == 0 ? 9 : 12, without.bytes());
        assertEquals(more, without.descriptors().size());
        without.descriptors().forEach(PassedDescriptor::close);
        if (more == 0) {
            get(pair.get(1).receiveDescriptorsAsync(rest, 8)).descriptors().forEach(PassedDescriptor::close);
        }
        assertEquals("ne by onetwo", text(rest));
        Descriptor passed = closeLater(Descriptor.adopt(
                pair.get(0).eventLoop(), received.descriptors().get(1).detach()));
        received.descriptors().get(0).close();
        get(passed.writeSomeAsync(bytes("second")));
        ByteBuffer through = ByteBuffer.allocate(16);
        get(second.get(1).readSomeAsync(through));
        assertEquals("second", text(through));
    }
}
