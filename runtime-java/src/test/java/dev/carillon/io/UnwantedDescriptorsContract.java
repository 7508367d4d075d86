package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_UNIX;
import static dev.carillon.sys.layout.Constants.SOCK_DGRAM;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_LINGER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A peer passes a TCP socket with SO_LINGER and unsent bytes, and keeps no copy: its last close lasts as long as the
 * linger does. It must not last on the loop thread.
 */
// r[verify sys.close-elsewhere]
abstract class UnwantedDescriptorsContract extends LoopCase {
    private static final Duration LINGER = Duration.ofSeconds(60);
    private static final int PASS_RIGHTS = 83;

    private final Sys sys = Sys.get();
    private ServerSocketChannel deaf;
    private int descriptorsBefore;

    @BeforeEach
    void listen() throws Exception {
        deaf = closeLater(ServerSocketChannel.open().bind(localFour()));
        descriptorsBefore = Descriptors.count();
    }

    /** Whatever was passed is closed in the end, and nothing else with it. */
    @AfterEach
    void allAreClosed() throws Exception {
        closeWhatWasOpened();
        Deadline.after(LIMIT).await("all are closed", () -> Descriptors.count() < descriptorsBefore);
    }

    /** Passes a socket whose last close takes as long as its linger does. */
    private void passLingering(int through, byte... bytes) throws Exception {
        SocketChannel[] accepted = new SocketChannel[1];
        Fd lingering = sys.sockets().open(AF_INET, SOCK_STREAM);
        int number = lingering.acquire();
        try (NativeBytes memory = NativeBytes.allocate(sys.libc(), 1 << 16)) {
            int length = SocketAddresses.put(deaf.getLocalAddress(), memory.bytes());
            sys.sockets().connect(number, memory.address(), length);
            accepted[0] = closeLater(deaf.accept());
            long sent;
            do {
                sent = sys.sockets().send(number, memory.address(), 1 << 16);
            } while (sent > 0);
            memory.bytes().putInt(0, 1).putInt(4, (int) LINGER.toSeconds());
            assertEquals(0, sys.libc().setsockopt(number, SOL_SOCKET, SO_LINGER, memory.address(), 8));
            memory.bytes().put(0, bytes);
            pass(through, memory, bytes.length, number);
        } finally {
            lingering.release();
            lingering.close();
        }
    }

    private void pass(int through, NativeBytes memory, int length, int number) {
        try {
            assertEquals(length, sys.descriptorMessage(2).send(through, memory.address(), length, number, number));
        } catch (SyscallException refused) {
            // Then the last close is that of this thread.
            memory.bytes().putLong(0, 0);
            assertEquals(0, sys.libc().setsockopt(number, SOL_SOCKET, SO_LINGER, memory.address(), 8));
            throw refused;
        }
    }

    /** Does something and looks how long the loop was away meanwhile: less than the linger, or it was caught in it. */
    private <T> T undisturbed(EventLoop loop, Callable<T> action) throws Exception {
        long began = System.nanoTime();
        T result = action.call();
        on(loop, () -> null);
        on(loop, () -> null);
        long took = System.nanoTime() - began;
        assertTrue(
                took < LINGER.toNanos() / 2,
                () -> "the loop was away for " + TimeUnit.NANOSECONDS.toMillis(took) + " ms");
        return result;
    }

    @Test
    void aReadDropsThemElsewhere() throws Exception {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        passLingering(pair.get(0).number(), (byte) 1, (byte) 2);
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        assertEquals(2, undisturbed(loop, () -> get(pair.get(1).readSomeAsync(buffer))));
        passLingering(pair.get(0).number(), (byte) 3);
        ByteBuffer[] several = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(1)};
        assertEquals(1, undisturbed(loop, () -> get(pair.get(1).readSomeAsync(several))));
    }

    @Test
    void moreThanAreExpectedAreDroppedElsewhere() throws Exception {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        passLingering(pair.get(0).number(), (byte) 1);
        Throwable failure =
                undisturbed(loop, () -> failureOf(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 1)));
        assertMessage(assertInstanceOf(SyscallException.class, failure), "room=1");
    }

    @Test
    void whoeverReceivedThemClosesThemOnTheLoopWithoutHarm() throws Exception {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        passLingering(pair.get(0).number(), (byte) 1);
        ReceivedDescriptors received = get(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 2));
        undisturbed(
                loop,
                () -> on(loop, () -> {
                    received.descriptors().forEach(PassedDescriptor::close);
                    return null;
                }));
    }

    @Test
    void whatNobodyHasReadIsDroppedElsewhere() throws Exception {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        passLingering(pair.get(0).number(), (byte) 1);
        undisturbed(loop, () -> {
            CompletableFuture<?> closed = pair.get(1).closeAsync();
            on(loop, () -> null);
            return closed;
        });
    }

    @Test
    void whatNobodyHasAcceptedIsDroppedElsewhere() throws Exception {
        EventLoop loop = started();
        SocketAddress name = AbstractSocketAddress.of(
                "carillon-test-" + ProcessHandle.current().pid() + "-unaccepted");
        ServerSocket server = closeLater(ServerSocket.bind(loop, name));
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, name)));
        passLingering(client.number(), (byte) 1);
        undisturbed(loop, () -> {
            server.close();
            return null;
        });
    }

    @Test
    void datagramSocketsRefuseThemAndDropThemElsewhere() throws Exception {
        EventLoop loop = started();
        SocketAddress name = AbstractSocketAddress.of(
                "carillon-test-" + ProcessHandle.current().pid() + "-datagram");
        DatagramSocket socket = closeLater(DatagramSocket.bind(loop, name));
        Fd sender = sys.sockets().open(AF_UNIX, SOCK_DGRAM);
        closeLater(sender);
        int number = sender.acquire();
        try (NativeBytes memory = NativeBytes.allocate(sys.libc(), SockaddrLayout.STORAGE_SIZE)) {
            sys.sockets().connect(number, memory.address(), SocketAddresses.put(name, memory.bytes()));
            if (sys.sockets().refuseDescriptors(socket.number())) {
                SyscallException refused = assertThrows(SyscallException.class, () -> passLingering(number, (byte) 1));
                assertEquals(Errno.EPERM, refused.errno());
                // As on a kernel that cannot refuse them.
                sys.sockets().setOption(socket.number(), SOL_SOCKET, PASS_RIGHTS, 1);
            }
            passLingering(number, (byte) 1, (byte) 2);
            ByteBuffer buffer = ByteBuffer.allocate(8);
            assertEquals(new Datagram(2, null, false), undisturbed(loop, () -> get(socket.receiveAsync(buffer))));
            passLingering(number, (byte) 3);
            undisturbed(loop, () -> {
                socket.close();
                return null;
            });
        } finally {
            sender.release();
        }
    }

    @Test
    void severalHundredOfThemOccupyNoThreadForLong() throws Exception {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        int[] many = new int[250];
        Fd event = sys.clocks().event(0);
        closeLater(event);
        Arrays.fill(many, event.acquire());
        event.release();
        try (NativeBytes memory = NativeBytes.allocate(sys.libc(), 8)) {
            for (int i = 0; i < 20; i++) {
                sys.descriptorMessage(many.length).send(pair.get(0).number(), memory.address(), 1, many);
                assertEquals(1, get(pair.get(1).readSomeAsync(ByteBuffer.allocate(8))));
            }
        }
    }
}
