package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host hangs up on a guest: whatever the kernel says then, the guest gets one checked exception. */
// r[verify shm.attach.socket]
final class HostThatHangsUpTest {
    private static final int TRIES = 50;

    @TempDir
    private Path folder;

    private void assertTold(int readsBefore) throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
            for (int i = 0; i < TRIES; i++) {
                CompletableFuture<Void> hangingUp = CompletableFuture.runAsync(() -> hangUp(listener, readsBefore));
                ConnectException told = assertThrows(
                        ConnectException.class,
                        () -> ShmGuest.connect(folder, LIMIT).close());
                String message = String.valueOf(told.getMessage());
                assertTrue(message.contains("has hung up without an answer"), message);
                hangingUp.get();
            }
        }
    }

    private static void hangUp(ServerSocketChannel listener, int readsBefore) {
        try (SocketChannel guest = listener.accept()) {
            ByteBuffer read = ByteBuffer.allocate(readsBefore);
            while (read.hasRemaining()) {
                guest.read(read);
            }
        } catch (java.io.IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    /** The guest writes to nobody (EPIPE), or its hello is thrown away (ECONNRESET). */
    @Test
    void atOnce() throws Exception {
        assertTold(0);
    }

    /** ECONNRESET. */
    @Test
    void inTheMidstOfTheHello() throws Exception {
        assertTold(1);
    }

    @Test
    void afterTheHello() throws Exception {
        assertTold(AttachMessage.HELLO_BYTES);
    }
}
