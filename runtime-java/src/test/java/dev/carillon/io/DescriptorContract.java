package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.RunMode;
import dev.carillon.loop.Watch;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pipes and other descriptors, watches, and descriptors that travel. */
abstract class DescriptorContract extends LoopCase {
    private final Sys sys = Sys.get();

    private int[] pipe(boolean nonBlocking) {
        Fd[] ends = sys.descriptors().pipe(nonBlocking);
        return new int[] {ends[0].acquire(), ends[1].acquire()};
    }

    private void close(int number) {
        Fd.owning(sys.libc(), number).close();
    }

    // r[verify io.poll]
    @Test
    void anAdoptedDescriptorDoesNotBlockAndGetsItsFlagBack() {
        EventLoop loop = started();
        int[] pipe = pipe(false);
        int copy = sys.descriptors().duplicateFrom(pipe[0], 0).acquire();
        Descriptor end = Descriptor.adopt(loop, pipe[0]);
        assertTrue(sys.descriptors().isNonBlocking(copy));
        ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        CompletableFuture<Integer> read = end.readSomeAsync(buffer);
        Descriptor other = Descriptor.adopt(loop, pipe[1]);
        get(other.writeAllAsync(LoopCase.bytes("ab")));
        assertEquals(2, get(read));
        get(end.closeAsync());
        assertFalse(sys.descriptors().isNonBlocking(copy));
        get(other.closeAsync());
        close(copy);
    }

    @Test
    void adoptingWhatIsNotOpenFails() {
        EventLoop loop = open();
        assertThrows(IllegalArgumentException.class, () -> Descriptor.adopt(loop, -1));
        assertEquals(
                "EBADF",
                assertThrows(SyscallException.class, () -> Descriptor.adopt(loop, 1_000_000))
                        .errnoName());
    }

    // r[verify io.poll]
    @Test
    void aBorrowedWaitChangesNoFlagAndLeavesNothingBehind() {
        EventLoop loop = started();
        int[] pipe = pipe(false);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<?> readable = Descriptor.awaitReadable(loop, pipe[0]);
            assertFalse(sys.descriptors().isNonBlocking(pipe[0]));
            on(loop, () -> true);
            assertFalse(readable.isDone());
            write(pipe[1]);
            get(readable);
            // Still readable: the edge has gone, the state has not.
            get(Descriptor.awaitReadable(loop, pipe[0]));
            read(pipe[0]);
        }
        get(Descriptor.awaitWritable(loop, pipe[1]));
        close(pipe[0]);
        close(pipe[1]);
    }

    @Test
    void twoMayWaitForTheSameBorrowedDescriptor() {
        EventLoop loop = started();
        int[] pipe = pipe(true);
        CompletableFuture<?> first = Descriptor.awaitReadable(loop, pipe[0]);
        CompletableFuture<?> second = Descriptor.awaitReadable(loop, pipe[0]);
        CompletableFuture<?> third = Descriptor.awaitReadable(loop, pipe[0]);
        on(loop, () -> true);
        third.cancel(false);
        write(pipe[1]);
        get(first);
        get(second);
        close(pipe[0]);
        close(pipe[1]);
    }

    // r[verify io.poll]
    @Test
    void plainFilesAreAlwaysReady(@TempDir Path folder) throws Exception {
        EventLoop loop = started();
        Path file = Files.writeString(folder.resolve("file"), "content");
        Fd fd = sys.files().open(file.toString(), 0, 0);
        get(Descriptor.awaitReadable(loop, fd.acquire()));
        get(Descriptor.awaitWritable(loop, fd.acquire()));
        Descriptor adopted = Descriptor.adopt(loop, fd.acquire());
        ByteBuffer buffer = ByteBuffer.allocate(16);
        assertEquals(7, get(adopted.readSomeAsync(buffer)));
        assertEquals(-1, get(adopted.readSomeAsync(buffer)));
        get(adopted.pollReadableAsync());
        get(adopted.closeAsync());
    }

    @Test
    void aBorrowedNumberThatIsNotOpenFails() {
        EventLoop loop = started();
        assertEquals("EBADF", ((SyscallException) failureOf(Descriptor.awaitReadable(loop, 1_000_000))).errnoName());
        assertThrows(IllegalArgumentException.class, () -> Descriptor.awaitReadable(loop, -1));
    }

    // r[verify loop.run-modes]
    @Test
    void aWatchIsCalledForEveryEdgeAndDoesNotKeepALoopFromBeingDrained() {
        EventLoop loop = open();
        int[] pipe = pipe(true);
        AtomicInteger calls = new AtomicInteger();
        loop.watch(pipe[0], () -> {
            read(pipe[0]);
            if (calls.incrementAndGet() == 3) {
                loop.requestStop();
            } else {
                write(pipe[1]);
            }
        });
        write(pipe[1]);
        loop.run(RunMode.DRAINED);
        assertEquals(3, calls.get());
        close(pipe[0]);
        close(pipe[1]);
    }

    @Test
    void aClosedWatchIsNotCalled() {
        EventLoop loop = started();
        int[] pipe = pipe(true);
        AtomicInteger calls = new AtomicInteger();
        Watch watch = loop.watch(pipe[0], calls::incrementAndGet);
        write(pipe[1]);
        Deadline.after(LIMIT).await("it is called", () -> calls.get() > 0);
        on(loop, () -> {
            watch.close();
            return true;
        });
        int before = calls.get();
        write(pipe[1]);
        on(loop, () -> true);
        on(loop, () -> true);
        assertEquals(before, calls.get());
        close(pipe[0]);
        close(pipe[1]);
    }

    // r[verify io.watch]
    @Test
    void whoAsksIsToldThatAWatchCannotBegin() {
        EventLoop loop = started();
        CompletableFuture<Throwable> elsewhere = new CompletableFuture<>();
        loop.watch(1_000_000, () -> {}, elsewhere::complete);
        assertMessage(get(elsewhere), "watch of fd=1000000: is it open in this process?");
        CompletableFuture<Throwable> here = new CompletableFuture<>();
        on(loop, () -> loop.watch(1_000_000, () -> {}, here::complete)).close();
        assertMessage(get(here), "watch of fd=1000000: is it open in this process?");
        assertTrue(errors.isEmpty(), errors::toString);
    }

    @Test
    void watchingWhatIsNotOpenIsReported() {
        EventLoop loop = started();
        loop.watch(1_000_000, () -> {});
        Deadline.after(LIMIT).await("the error is reported", () -> !errors.isEmpty());
        assertMessage(errors.peek(), "EBADF");
    }

    // r[verify io.scm-rights]
    @Test
    void descriptorsTravelWithTheirBytesAndAreNotInherited() {
        EventLoop loop = started();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        int[] pipe = pipe(true);
        CompletableFuture<ReceivedDescriptors> receiving =
                pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 4);
        assertEquals(2, get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("ok"), pipe[0], pipe[1])));
        ReceivedDescriptors received = get(receiving);
        assertEquals(2, received.bytes());
        assertEquals(2, received.descriptors().size());
        int writer = received.descriptors().get(1).detach();
        assertTrue(sys.descriptors().isCloseOnExec(writer));
        write(writer);
        read(pipe[0]);
        received.descriptors().get(0).close();
        received.descriptors().get(1).close();
        close(writer);
        close(pipe[0]);
        close(pipe[1]);
        for (StreamSocket socket : pair) {
            get(socket.closeAsync());
        }
    }

    // r[verify io.scm-rights]
    @Test
    void moreDescriptorsThanExpectedFailAndAreClosed() {
        EventLoop loop = started();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        int[] pipe = pipe(true);
        get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("x"), pipe[0], pipe[0], pipe[0], pipe[0]));
        close(pipe[0]);
        SyscallException failure =
                (SyscallException) failureOf(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 1));
        assertEquals("recvmsg", failure.call());
        // Another thread closes them; then no process has the reading end any more.
        PollSet writer = sys.pollSet(1);
        writer.set(0, pipe[1], 0);
        Deadline.after(LIMIT).await("all are closed", () -> writer.now() != 0);
        SyscallException broken =
                (SyscallException) failureOf(Descriptor.adopt(loop, pipe[1]).writeSomeAsync(LoopCase.bytes("x")));
        assertEquals("EPIPE", broken.errnoName());
        close(pipe[1]);
        for (StreamSocket socket : pair) {
            get(socket.closeAsync());
        }
    }

    // r[verify io.scm-rights]
    @Test
    void theBytesOfAMessageWithTooManyDescriptorsAreInTheBuffer() {
        EventLoop loop = started();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        int[] pipe = pipe(true);
        for (ByteBuffer buffer : List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
            get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("abc"), pipe[0], pipe[0], pipe[0], pipe[0]));
            get(pair.get(0).writeAllAsync(LoopCase.bytes("def")));
            assertEquals(
                    "recvmsg", ((SyscallException) failureOf(pair.get(1).receiveDescriptorsAsync(buffer, 1))).call());
            assertEquals("abc", LoopCase.text(buffer));
            assertEquals(3, get(pair.get(1).readSomeAsync(buffer)));
            assertEquals("abcdef", LoopCase.text(buffer));
        }
        close(pipe[0]);
        close(pipe[1]);
        for (StreamSocket socket : pair) {
            get(socket.closeAsync());
        }
    }

    private void write(int number) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        assertEquals(1, sys.descriptors().write(number, sys.libc().addressOf(one), 1));
    }

    private void read(int number) {
        ByteBuffer one = ByteBuffer.allocateDirect(64);
        assertTrue(sys.descriptors().read(number, sys.libc().addressOf(one), 64) > 0);
    }
}
