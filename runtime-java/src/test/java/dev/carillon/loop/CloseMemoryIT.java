package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.Ballast;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
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

    private static void assertPrints(String expected, ChildJvm child) {
        try (ChildProcess process = child.start()) {
            ChildExit exit = process.awaitExit(LIMIT);
            assertEquals(List.of(expected), exit.stdout(), exit::toString);
        }
    }

    // r[verify io.close-memory]
    @Test
    void aCloseThatFindsNoHeapLosesNoDescriptor() {
        assertPrints(
                "0 left",
                ChildJvm.of(FullHeap.class).vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    }

    // r[verify io.close-memory]
    @Test
    void aCloseThatFindsNoDirectMemoryLosesNoDescriptor() {
        assertPrints("0 left", ChildJvm.of(FullDirectMemory.class).vmFlags("-XX:MaxDirectMemorySize=1m"));
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

    private static void printWhatIsLeft(int before) {
        try {
            Deadline.after(Duration.ofSeconds(10)).await("all are closed", () -> Descriptors.count() <= before);
        } catch (AssertionError someAreNot) {
            System.err.println(someAreNot.getMessage());
        }
        System.out.println(Descriptors.count() - before + " left");
    }

    /** The closer's thread has no memory, not for the smallest object; later there is some, and it closes again. */
    static final class FullHeap {
        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            prepare(loop);
            int before = Descriptors.count();
            StreamSocket[] sockets = pairs(loop, 50).toArray(StreamSocket[]::new);
            CountDownLatch memory = new CountDownLatch(1);
            loop.execute(() -> LoopTaskContract.awaitUninterruptibly(memory));
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
            printWhatIsLeft(before);
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
            printWhatIsLeft(before);
            loop.close();
        }
    }
}
