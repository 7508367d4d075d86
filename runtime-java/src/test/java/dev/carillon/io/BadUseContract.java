package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Callers that misuse what they have: what they are told, and where. */
abstract class BadUseContract extends LoopCase {
    @TempDir
    private Path folder;

    // r[verify io.buffers]
    @Test
    void arraysWithoutBuffersAreRefusedAtTheCall() {
        StreamSocket socket = pair(started()).get(0);
        for (Executable call : List.<Executable>of(
                () -> socket.readSomeAsync(new ByteBuffer[0]), socket::writeSomeAsync, socket::writeAllAsync)) {
            assertMessage(assertThrows(IllegalArgumentException.class, call), "buffers=0: give one buffer at least");
        }
    }

    /** On the loop thread it would be too late: an operation that fails before it begins tells nobody. */
    // r[verify io.buffers]
    @Test
    @SuppressWarnings("NullAway")
    void aNullAmongBuffersIsRefusedAtTheCall() {
        StreamSocket socket = pair(started()).get(0);
        ByteBuffer some = ByteBuffer.allocate(1);
        ByteBuffer[] holed = {some, null};
        assertMessage(assertThrows(NullPointerException.class, () -> socket.writeAllAsync(holed)), "buffers[1]");
        assertThrows(NullPointerException.class, () -> socket.readSomeAsync(holed));
        assertEquals(1, get(socket.writeSomeAsync(some)));
    }

    // r[verify io.buffers]
    @Test
    void nothingReadsIntoAReadOnlyBuffer() throws Exception {
        EventLoop loop = started();
        StreamSocket socket = pair(loop).get(0);
        DatagramSocket datagrams = closeLater(DatagramSocket.bind(loop, localFour()));
        FileHandle file = get(FileHandle.open(loop, Files.writeString(folder.resolve("file"), "content")));
        ByteBuffer readOnly = ByteBuffer.allocateDirect(4).asReadOnlyBuffer();
        for (Executable call : List.<Executable>of(
                () -> socket.readSomeAsync(readOnly),
                () -> socket.readSomeAsync(ByteBuffer.allocate(1), readOnly),
                () -> socket.receiveDescriptorsAsync(readOnly, 1),
                () -> datagrams.receiveAsync(readOnly),
                () -> file.readAtAsync(readOnly, 0))) {
            assertMessage(assertThrows(IllegalArgumentException.class, call), "is read-only and cannot be read into");
        }
        get(file.closeAsync());
    }

    /** The path makes trouble on the loop thread, where there is nobody to throw at. */
    @Test
    void whatGoesWrongInsideAnOperationIsToldToIt() {
        EventLoop loop = started();
        Path broken = (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, args) -> {
                    throw new IllegalStateException("planted");
                });
        assertMessage(failureOf(FileHandle.open(loop, broken)), "planted");
        assertEquals("alive", on(loop, () -> "alive"));
        assertTrue(errors.isEmpty(), errors::toString);
        assertEquals(0L, on(loop, () -> loop.stats().pendingOperations()));
    }

    // r[verify io.scm-rights]
    @Test
    void asManyDescriptorsAsExpectedArriveAndNotOneMore() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        Fd[] pipe = Sys.get().descriptors().pipe(true);
        int number = pipe[0].acquire();
        for (int most = 1; most <= 4; most++) {
            int[] fitting = new int[most];
            java.util.Arrays.fill(fitting, number);
            get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("x"), fitting));
            ReceivedDescriptors received = get(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(1), most));
            assertEquals(most, received.descriptors().size());
            received.descriptors().forEach(PassedDescriptor::close);
            int[] oneMore = new int[most + 1];
            java.util.Arrays.fill(oneMore, number);
            get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("x"), oneMore));
            assertMessage(
                    failureOf(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(1), most)),
                    "more descriptors came than room=" + most + ", and all were closed");
        }
        pipe[0].release();
        pipe[0].close();
        pipe[1].close();
    }

    // r[verify io.scm-rights]
    @Test
    void descriptorsThatCannotTravelAreRefused() {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int count : new int[] {0, 254}) {
            assertMessage(
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> pair.get(0).sendDescriptorsAsync(one, new int[count])),
                    "1 to 253 go with one message");
            assertThrows(IllegalArgumentException.class, () -> pair.get(1).receiveDescriptorsAsync(one, count));
        }
        SyscallException closed = (SyscallException) failureOf(pair.get(0).sendDescriptorsAsync(one, 1_000_000));
        assertEquals("EBADF", closed.errnoName());
        assertMessage(closed, "one of the descriptors is not open");
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        StreamSocket tcp = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket accepted = closeLater(get(server.acceptAsync()));
        assertMessage(
                assertThrows(IllegalStateException.class, () -> tcp.sendDescriptorsAsync(one, 0)), "is no Unix socket");
        assertThrows(IllegalStateException.class, () -> accepted.receiveDescriptorsAsync(one, 1));
    }

    @Test
    void aFailureNamesItsPlaceAndWhatToDo() throws Exception {
        EventLoop loop = started();
        DatagramSocket datagrams = closeLater(DatagramSocket.bind(loop, localFour()));
        assertMessage(failureOf(datagrams.sendAsync(ByteBuffer.allocate(1))), "say where to send to");
        assertMessage(
                failureOf(datagrams.sendAsync(
                        ByteBuffer.allocateDirect(70_000), Objects.requireNonNull(datagrams.localAddress()))),
                "DatagramSocket[" + datagrams.number() + "]: too long for one datagram");
        assertMessage(
                assertThrows(SyscallException.class, () -> Descriptor.adopt(loop, 1_000_000)),
                "EBADF (9): fd=1000000: is it open in this process?");
        assertMessage(failureOf(Descriptor.awaitReadable(loop, 1_000_000)), "fd=1000000 is not open");
        loop.watch(1_000_000, () -> {});
        Deadline.after(LIMIT).await("the error is reported", () -> !errors.isEmpty());
        assertMessage(errors.poll(), "watch of fd=1000000: is it open in this process?");
        Path file = Files.writeString(folder.resolve("file"), "");
        FileHandle reading = get(FileHandle.open(loop, file));
        assertMessage(failureOf(reading.writeSomeAsync(ByteBuffer.allocate(1))), "opened for that");
        get(reading.closeAsync());
        assertMessage(failureOf(reading.readSomeAsync(ByteBuffer.allocate(1))), "it was used after it was closed");
        assertMessage(
                failureOf(FileHandle.open(loop, folder.resolve("none"), StandardOpenOption.READ)),
                folder.resolve("none") + ": there is no such file");
        assertThrows(
                IllegalArgumentException.class,
                () -> FileHandle.open(loop, file, Set.of(StandardOpenOption.DELETE_ON_CLOSE), Operation.of(d -> {})));
    }
}
