package dev.carillon.io;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.proc.Descriptors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handles that are opened where the heap is full, each kind in a VM of its own. */
final class OpenMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify io.close-memory] r[verify sys.owned]
    @ParameterizedTest
    @ValueSource(strings = {"pair", "listener", "datagram"})
    void anOpenThatFindsNoHeapLeavesNoDescriptor(String kind) {
        ChildJvm.of(FullHeap.class)
                .args(kind)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    /** Frees one more small object before each try, so that each allocation on the way fails once. */
    static final class FullHeap {
        private static final int TRIES = 400;
        private static final int WARM_UP = 200;

        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            Supplier<Object> opening = opening(loop, args[0]);
            for (int i = 0; i < WARM_UP; i++) {
                close(opening.get());
            }
            LoopCase.on(loop, Descriptors::count);
            int before = Descriptors.count();
            Object[] taken = new Object[400_000];
            Object[] opened = new Object[TRIES];
            Ballast.fill(taken);
            int last = taken.length - 1;
            while (taken[last] == null) {
                last--;
            }
            int refused = 0;
            for (int i = 0; i < TRIES; i++) {
                try {
                    opened[i] = opening.get();
                } catch (OutOfMemoryError full) {
                    refused++;
                    taken[Math.max(0, last - i)] = null;
                }
            }
            Arrays.fill(taken, null);
            System.err.println(refused + " of " + TRIES + " found no memory");
            for (Object some : opened) {
                close(some);
            }
            LoopCase.on(loop, Descriptors::count);
            Descriptors.printLeft(before);
            loop.close();
        }

        private static void close(@Nullable Object opened) {
            if (opened instanceof Handle handle) {
                handle.close();
            } else if (opened instanceof List<?> handles) {
                handles.forEach(FullHeap::close);
            }
        }

        private static Supplier<Object> opening(EventLoop loop, String kind) {
            InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            return switch (kind) {
                case "pair" -> () -> StreamSocket.pair(loop);
                case "listener" -> () -> ServerSocket.bind(loop, anyPort);
                case "datagram" -> () -> DatagramSocket.bind(loop, anyPort);
                default -> throw new IllegalArgumentException(kind);
            };
        }
    }
}
