package dev.carillon.io;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.proc.Descriptors;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Handles that are closed where memory is short, each in a VM of its own. */
final class CloseMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify io.close-memory]
    @Test
    void aCloseThatFindsNoHeapLosesNoDescriptor() {
        ChildJvm.of(FullHeap.class)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    // r[verify io.close-memory]
    @Test
    void aCloseThatFindsNoDirectMemoryLosesNoDescriptor() {
        ChildJvm.of(FullDirectMemory.class)
                .vmFlags("-XX:MaxDirectMemorySize=1m")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    private static List<StreamSocket> pairs(EventLoop loop, int count) {
        List<StreamSocket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.addAll(StreamSocket.pair(loop));
        }
        return sockets;
    }

    /** Everything has worked once, so that what is short is not memory for classes. */
    private static void prepare(EventLoop loop) {
        pairs(loop, 20).forEach(socket -> LoopCase.get(socket.closeAsync()));
        LoopCase.on(loop, Descriptors::count);
    }

    /** The closer's thread has no memory, not for the smallest object; later there is some, and it closes again. */
    static final class FullHeap {
        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            prepare(loop);
            int before = Descriptors.count();
            StreamSocket[] sockets = pairs(loop, 50).toArray(StreamSocket[]::new);
            CountDownLatch memory = new CountDownLatch(1);
            loop.execute(() -> LoopCase.awaitUninterruptibly(memory));
            Object[] taken = new Object[400_000];
            Ballast.fill(taken);
            int refused = 0;
            for (int i = 0; i < sockets.length; i++) {
                try {
                    sockets[i].close();
                } catch (OutOfMemoryError full) {
                    refused++;
                }
            }
            Arrays.fill(taken, null);
            memory.countDown();
            System.err.println(refused + " closes found no memory");
            for (StreamSocket socket : sockets) {
                socket.close();
            }
            Descriptors.printLeft(before);
            loop.close();
        }
    }

    /** To find out whether a close could take time needs direct memory. */
    static final class FullDirectMemory {
        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            prepare(loop);
            int before = Descriptors.count();
            List<StreamSocket> sockets = pairs(loop, 2);
            Deque<ByteBuffer> taken = new ArrayDeque<>();
            for (int size = 1 << 20; size > 0; ) {
                try {
                    taken.add(ByteBuffer.allocateDirect(size));
                } catch (OutOfMemoryError full) {
                    size /= 16; // each failure takes half a second: the VM collects garbage and waits
                }
            }
            try {
                sockets.forEach(socket -> LoopCase.get(socket.closeAsync()));
            } finally {
                Reference.reachabilityFence(taken);
            }
            taken.clear();
            Descriptors.printLeft(before);
            loop.close();
        }
    }
}
