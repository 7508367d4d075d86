package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What both libraries owe to everything above them. */
abstract class LibCContract {
    private static final int NONBLOCK_CLOEXEC = 0x80800;
    private static final int F_DUPFD = 0;
    private static final int HIGH = 800;

    private LibC libc;
    private ByteBuffer buffer;
    private long address;

    abstract LibC libc();

    @BeforeEach
    void open() {
        libc = libc();
        buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        address = libc.addressOf(buffer);
    }

    @Test
    void aCallReturnsTheKernelsResult() {
        assertEquals(ProcessHandle.current().pid(), libc.getpid());
    }

    @Test
    void aFailureReturnsMinusErrno() {
        assertEquals(-Errno.EBADF, libc.close(-1));
        assertEquals(-Errno.EBADF, libc.read(1_000_000, address, 8));
    }

    // r[verify sys.result]
    @Test
    void aSuccessAfterAFailureIsASuccess() {
        int low = libc.eventfd(3, NONBLOCK_CLOEXEC);
        assertTrue(low > 0, () -> "low=" + low);
        // A number so high that the VM takes it for no file of its own when it is free.
        int event = libc.fcntl(low, F_DUPFD, HIGH);
        assertTrue(event >= HIGH, () -> "event=" + event);
        assertEquals(0, libc.close(low));
        assertEquals(-Errno.EBADF, libc.close(-1));
        assertEquals(8, libc.read(event, address, 8));
        assertEquals(3, buffer.getLong(0));
        assertEquals(-Errno.EAGAIN, libc.read(event, address, 8));
        assertEquals(0, libc.close(event));
        assertEquals(-Errno.EBADF, libc.close(event));
    }

    @Test
    void aGlibcFunctionFailsWithMinusErrno() {
        assertEquals(-Errno.EINVAL, libc.sigaction(9_999, 0, 0));
    }

    @Test
    void theAddressOfABufferIsThatOfItsIndexZero() {
        buffer.position(8).limit(16);
        assertEquals(address, libc.addressOf(buffer));
        buffer.clear().position(16);
        assertEquals(address + 16, libc.addressOf(buffer.slice()));
    }

    @Test
    void aHeapBufferHasNoAddress() {
        ByteBuffer heap = ByteBuffer.allocate(8);
        assertThrows(IllegalArgumentException.class, () -> libc.addressOf(heap));
    }

    @Test
    void aViewShowsTheMemoryAtItsAddress() {
        ByteBuffer view = libc.view(address + 8, 16);
        view.putLong(0, 0x0102030405060708L);
        assertEquals(0x0102030405060708L, buffer.getLong(8));
        assertEquals(16, view.capacity());
        assertEquals(address + 8, libc.addressOf(view));
    }

    @Test
    void bytesAreCopiedFromAddressToAddress() {
        buffer.putLong(0, 0x0102030405060708L).putLong(8, -1);
        libc.memcpy(address + 32, address, 9);
        assertEquals(0x0102030405060708L, buffer.getLong(32));
        assertEquals(0xff, buffer.getLong(40));
    }
}
