package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.io.StreamSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Nothing stays: the leak check of every test class compares descriptors and threads. */
abstract class LoopLeakContract extends LoopCase {
    // r[verify loop.no-leak]
    @Test
    void tenThousandHandlesLeaveNothingBehind() {
        EventLoop loop = started();
        for (int i = 0; i < 5_000; i++) {
            List<StreamSocket> pair = StreamSocket.pair(loop);
            ByteBuffer buffer = ByteBuffer.allocate(1);
            CompletableFuture<Integer> read = pair.get(1).readSomeAsync(buffer);
            get(pair.get(0).writeSomeAsync(ByteBuffer.allocate(1)));
            assertEquals(1, get(read));
            pair.forEach(StreamSocket::close);
        }
        assertEquals(0L, on(loop, () -> loop.parts.poller.pending()));
    }

    // r[verify loop.no-leak]
    @Test
    void aThousandLoopsLeaveNothingBehind() {
        // Another class of this VM may have left the shared loop, which lives as long as the VM, or one that ends late.
        List<LoopRegistry.Entry> before = LoopRegistry.running();
        for (int i = 0; i < 1_000; i++) {
            EventLoop loop = EventLoop.open(options().build()).start();
            List<StreamSocket> pair = StreamSocket.pair(loop);
            CompletableFuture<Integer> read = pair.get(1).readSomeAsync(ByteBuffer.allocate(1));
            loop.schedule(java.time.Duration.ofHours(1), () -> {});
            if (i % 2 == 0) {
                get(pair.get(0).writeSomeAsync(ByteBuffer.allocate(1)));
                assertEquals(1, get(read));
            }
            loop.close();
            pair.forEach(StreamSocket::close);
        }
        List<LoopRegistry.Entry> left = LoopRegistry.running();
        left.removeAll(before);
        assertEquals(List.of(), left);
    }
}
