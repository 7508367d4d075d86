package dev.carillon.samples;

import dev.carillon.io.StreamHandle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** For libraries that block: a stream of a loop as a channel of the JDK, and so by {@code Channels} as its streams. */
public final class SocketChannels {
    private SocketChannels() {}

    // region channel
    /** Its calls wait for the loop, so they belong on other threads; closing it closes the stream. */
    public static ByteChannel blocking(StreamHandle stream) {
        return new ByteChannel() {
            @Override
            public int read(ByteBuffer into) throws IOException {
                return into.hasRemaining() ? result(stream.readSomeAsync(into)) : 0;
            }

            @Override
            public int write(ByteBuffer from) throws IOException {
                return from.hasRemaining() ? Math.toIntExact(result(stream.writeAllAsync(from))) : 0;
            }

            @Override
            public boolean isOpen() {
                return stream.isOpen();
            }

            @Override
            public void close() {
                stream.close();
            }
        };
    }

    private static <T> T result(CompletableFuture<T> moved) throws IOException {
        try {
            return moved.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException cause ? cause : new IOException(failed.getCause());
        } catch (InterruptedException interrupted) {
            moved.cancel(false);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted; what was under way may have been moved");
        }
    }
    // endregion
}
