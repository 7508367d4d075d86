package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.Epoll;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.proc.Descriptors;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What is opened while no direct memory is left fails, leaves no descriptor behind, and ends no loop. */
final class DirectMemoryIT {
    @Test
    void withoutDirectMemoryNothingLeaksAndTheLoopGoesOn() throws Exception {
        try (ChildProcess child = ChildJvm.of(Exhausted.class)
                .vmFlags("-XX:MaxDirectMemorySize=4m")
                .start()) {
            ChildExit exit = child.awaitExit(Duration.ofSeconds(60));
            assertEquals(
                    List.of(
                            "server failed, 0 left",
                            "datagram failed, 0 left",
                            "connect failed, 0 left",
                            "inotify failed, 0 left",
                            "loop failed, 0 left",
                            "receiving descriptors failed",
                            "the loop lives"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    @Test
    void theLargestNumbersThatOptionsTakeAreAMatterOfMemoryOnly() throws Exception {
        try (ChildProcess child =
                ChildJvm.of(Largest.class).vmFlags("-XX:MaxDirectMemorySize=4m").start()) {
            ChildExit exit = child.awaitExit(Duration.ofSeconds(60));
            assertEquals(
                    List.of("events failed, 0 left", "scratch failed, 0 left", "all others worked"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    static final class Largest {
        private Largest() {}

        public static void main(String[] args) throws Exception {
            EventLoop.open().close();
            EventLoopOptions.Builder events = EventLoopOptions.builder().events(Epoll.MAX_EVENTS);
            Exhausted.failing("events", () -> EventLoop.open(events.build()));
            EventLoopOptions.Builder scratch = EventLoopOptions.builder().scratch(Integer.MAX_VALUE);
            Exhausted.failing("scratch", () -> EventLoop.open(scratch.build()));
            Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
            try (EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                    .batch(Integer.MAX_VALUE)
                    .backlog(Integer.MAX_VALUE - 1)
                    .blockedAfter(longest)
                    .slowIteration(longest)
                    .build())) {
                loop.start();
                System.out.println(LoopCase.on(loop, () -> "all others worked"));
            }
        }
    }

    static final class Exhausted {
        private Exhausted() {}

        public static void main(String[] args) throws Exception {
            EventLoop loop = EventLoop.open().start();
            // All classes are there, and each thing worked once.
            StreamSocket client;
            try (ServerSocket server = ServerSocket.bind(loop, LoopCase.localFour());
                    DatagramSocket datagrams = DatagramSocket.bind(loop, LoopCase.localFour());
                    Inotify inotify = Inotify.open()) {
                client = LoopCase.get(StreamSocket.connect(loop, server.localAddress()));
                LoopCase.get(server.acceptAsync()).close();
                datagrams.localAddress();
                inotify.poll();
            }
            client.close();
            // What was closed above is closed on the loop, in its order.
            LoopCase.on(loop, () -> null);
            EventLoop.open().close();
            List<StreamSocket> pair = StreamSocket.pair(loop);
            Deque<ByteBuffer> all = new ArrayDeque<>();
            try {
                for (int size = 1 << 20; size > 0; ) {
                    try {
                        all.add(ByteBuffer.allocateDirect(size));
                    } catch (OutOfMemoryError full) {
                        size /= 16; // each failure takes half a second: the VM collects garbage and waits
                    }
                }
                failing("server", () -> ServerSocket.bind(loop, LoopCase.localFour()));
                failing("datagram", () -> DatagramSocket.bind(loop, LoopCase.localFour()));
                failing("connect", () -> LoopCase.get(StreamSocket.connect(loop, LoopCase.localFour())));
                failing("inotify", Inotify::open);
                failing("loop", EventLoop::open);
                LoopCase.get(pair.get(0).writeSomeAsync(ByteBuffer.allocate(4)));
                boolean failed = LoopCase.failureOf(pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 100))
                        instanceof OutOfMemoryError;
                System.out.println("receiving descriptors " + (failed ? "failed" : "worked"));
            } finally {
                // Until here they are all there.
                Reference.reachabilityFence(all);
            }
            all.clear();
            System.out.println(LoopCase.on(loop, () -> "the loop lives"));
            loop.close();
        }

        private static void failing(String what, Callable<?> opening) throws Exception {
            int before = Descriptors.count();
            try {
                opening.call();
                System.out.println(what + " worked");
            } catch (OutOfMemoryError full) {
                System.out.println(what + " failed, " + (Descriptors.count() - before) + " left");
            }
        }
    }
}
