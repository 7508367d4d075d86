package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The heap is full in the midst of a call: what the call has changed so far must fit together afterwards. */
final class HeapFullIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    // r[verify shm.heap]
    @ParameterizedTest
    @ValueSource(strings = {"channel", "claim", "receive", "stage", "received channel", "loop channel"})
    void aLinkIsWholeAfterTheHeapWasFull(String what) {
        ChildExit exit = ChildJvm.of(Full.class)
                .vmFlags("-Xmx40m", "-XX:+UseSerialGC")
                .args(what)
                .run(PATIENCE);
        exit.assertPrinted(what + " is whole");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Each call works, or fails for want of memory and works later. */
    static final class Full {
        private static final int ROUNDS = 8;
        private static final int SLOTS = 4;
        private static final int LONGEST = 1 << 18;
        private static final long WINDOW = 4L * LONGEST;
        private static final Frame SHORT = Frame.of(1, 8, bytes(8, 1));
        private static final Frame LARGE = Frame.of(1, 9, bytes(1000, 1));
        private static final Object[] HOG = new Object[1_000_000];
        private static int hogs;
        private static final Object[] SPARE = new Object[1];

        public static void main(String[] args) throws Exception {
            LinkConfig config = LinkConfig.builder()
                    .ring(16)
                    .slots(1024, SLOTS)
                    .window(4096)
                    .build();
            try (LinkPair pair = new LinkPair(config)) {
                withoutMemory(() -> "the error itself is loaded");
                switch (args[0]) {
                    case "channel" -> sendOnAChannel(pair);
                    case "claim" -> claim(pair);
                    default -> receiveAll(args[0]);
                }
            }
            System.out.println(args[0] + " is whole");
            System.exit(0);
        }

        private static void sendOnAChannel(LinkPair pair) throws Exception {
            ShmChannel sends = pair.host.openChannel();
            ShmChannel receives = pair.guest.acceptChannel(LONG);
            assertNotNull(receives);
            assertEquals(SendResult.SENT, sends.send(SHORT, NO_TIME));
            assertNotNull(receives.receive(LONG));
            for (int i = 0; i < ROUNDS; i++) {
                withoutMemory(() -> sends.send(SHORT, Duration.ofMillis(5)));
                while (receives.receive(Duration.ofMillis(20)) != null) {
                    assertTrue(receives.state() == ChannelState.OPEN, "the channel is over");
                }
            }
            for (int i = 0; i < 20; i++) {
                assertEquals(SendResult.SENT, sends.send(LARGE, LONG));
                assertNotNull(receives.receive(LONG));
            }
            assertEquals(4096, sends.credit());
        }

        private static void receiveAll(String how) throws Exception {
            LinkConfig config = LinkConfig.builder()
                    .ring(16)
                    .slots(LONGEST, SLOTS)
                    .window(WINDOW)
                    .build();
            try (LinkPair pair = new LinkPair(config);
                    EventLoop loop = EventLoop.open().start()) {
                switch (how) {
                    case "receive" -> receive(pair.host::trySend, () -> pair.guest.receive(NO_TIME));
                    case "stage" -> {
                        AsyncLink async = pair.guest.onLoop(loop);
                        receive(pair.host::trySend, async::tryReceive);
                    }
                    case "received channel" -> {
                        ShmChannel sends = pair.host.openChannel();
                        ShmChannel other = pair.host.openChannel();
                        ShmChannel receives = Objects.requireNonNull(pair.guest.acceptChannel(LONG));
                        ShmChannel others = Objects.requireNonNull(pair.guest.acceptChannel(LONG));
                        receive(sends::trySend, () -> receives.receive(NO_TIME));
                        assertEquals(WINDOW, sends.credit());
                        // A copy for another channel.
                        receive(sends::trySend, () -> {
                            assertEquals(0, others.poll(frame -> {}, 1));
                            return receives.receive(NO_TIME);
                        });
                        assertEquals(WINDOW, sends.credit());
                        assertEquals(WINDOW, other.credit());
                    }
                    default -> {
                        AsyncChannel sends = pair.host.onLoop(loop).openChannel();
                        AsyncChannel receives =
                                Objects.requireNonNull(pair.guest.onLoop(loop).tryAcceptChannel());
                        receive(sends::trySend, receives::tryReceive);
                        assertEquals(WINDOW, sends.channel().credit());
                    }
                }
                for (int i = 0; i < SLOTS; i++) {
                    assertEquals(SendResult.SENT, pair.host.trySend(Frame.of(1, i, bytes(LONGEST, 1))), "slot " + i);
                }
            }
        }

        private static void receive(Function<Frame, SendResult> send, Callable<@Nullable Frame> receive)
                throws Exception {
            ByteBuffer payload = bytes(LONGEST, 1);
            int failed = 0;
            for (int i = 0; i < ROUNDS; i++) {
                assertEquals(SendResult.SENT, send.apply(Frame.of(1, i, payload)));
                // Enough for small objects, and not for the frame.
                SPARE[0] = i % 2 == 0 ? new byte[LONGEST / 4] : null;
                Frame received = withoutMemory(receive);
                failed += received == null ? 1 : 0;
                received = received == null ? receive.call() : received;
                assertNotNull(received, "frame " + i + " is lost");
                assertEquals(i, received.id());
                assertEquals(payload, received.payload());
            }
            assertTrue(failed > 0, "the heap was never full");
        }

        private static void claim(LinkPair pair) throws Exception {
            for (int i = 0; i < 5; i++) {
                pair.host.trySend(SHORT);
                pair.host.trySend(LARGE);
                pair.guest.poll(frame -> {}, 5);
            }
            for (int i = 0; i < ROUNDS; i++) {
                SlotWriter claim = withoutMemory(() -> pair.host.tryClaim(500));
                if (claim != null) {
                    claim.abort();
                }
            }
            for (int i = 0; i < SLOTS; i++) {
                assertEquals(SendResult.SENT, pair.host.trySend(LARGE), "slot " + i);
            }
            assertNull(pair.host.tryClaim(500));
            assertEquals(SendResult.NO_SLOT, pair.host.claimRefusal());
        }

        /** Null if memory was short. */
        private static <T> @Nullable T withoutMemory(Callable<T> call) throws Exception {
            T result = null;
            fill();
            SPARE[0] = null;
            try {
                result = call.call();
            } catch (OutOfMemoryError expected) {
                result = null;
            } finally {
                empty();
            }
            return result;
        }

        private static void fill() {
            int bytes = 1 << 20;
            while (bytes >= 16 && hogs < HOG.length) {
                try {
                    HOG[hogs] = new byte[bytes - 16];
                    hogs++;
                } catch (OutOfMemoryError full) {
                    bytes /= 2;
                }
            }
        }

        private static void empty() {
            while (hogs > 0) {
                hogs--;
                HOG[hogs] = null;
            }
        }
    }
}
