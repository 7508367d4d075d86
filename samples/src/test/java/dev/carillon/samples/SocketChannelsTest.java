package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class SocketChannelsTest {
    @Test
    void aLibraryThatBlocksReadsAndWritesThroughTheLoop(@Seeded SplittableRandom random) throws IOException {
        byte[] sent = new byte[1_000_000];
        random.nextBytes(sent);
        try (EventLoop loop = EventLoop.open().start()) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            CompletableFuture<Void> writing =
                    CompletableFuture.runAsync(() -> compress(sent, SocketChannels.blocking(pair.get(0))));
            try (ByteChannel channel = SocketChannels.blocking(pair.get(1));
                    GZIPInputStream in = new GZIPInputStream(Channels.newInputStream(channel))) {
                assertArrayEquals(sent, in.readAllBytes());
                assertTrue(channel.isOpen());
            }
            Futures.get(writing);
            assertFalse(pair.get(1).isOpen());
        }
    }

    private static void compress(byte[] bytes, ByteChannel to) {
        try (OutputStream out = new GZIPOutputStream(Channels.newOutputStream(to))) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anInterruptAndAFailureAreWhatSuchALibraryExpects() throws IOException {
        try (EventLoop loop = EventLoop.open().start()) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            try (ByteChannel channel = SocketChannels.blocking(pair.get(0))) {
                assertEquals(0, channel.read(ByteBuffer.allocate(0)));
                Thread.currentThread().interrupt();
                assertThrows(InterruptedIOException.class, () -> channel.read(ByteBuffer.allocate(1)));
                assertTrue(Thread.interrupted());
                pair.get(1).close();
                assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
                assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1)));
            }
        }
    }
}
