package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent and received leaves no garbage behind, however it is sent. */
final class NoGarbageIT {
    /** An object of the smallest size per frame would need 32 MB. */
    private static final int ROUNDS = 1_000_000;

    @ParameterizedTest
    @ValueSource(strings = {"frames", "claims", "batches", "shared", "refusals"})
    void aVmWithoutGarbageCollectorSendsAndReceivesForEver(String how) {
        ChildExit exit = ChildJvm.of(Traffic.class)
                .args(how)
                .vmFlags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx32m", "-Dcarillon.checks=false")
                .run(Duration.ofSeconds(60));
        exit.assertPrinted("done");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Three frames there, and three taken out, again and again. */
    static final class Traffic {
        private final ShmLink from;
        private final ShmLink to;
        private final Frame small = Frame.of(1, 2, ByteBuffer.allocate(64));
        private final Frame large = Frame.of(1, 2, ByteBuffer.allocateDirect(1000));
        private final FrameHandler handler = frame -> take(frame.getLong(8));
        private final BatchWriter writer = Traffic::write;
        private long taken;

        private Traffic(LinkPair pair) {
            from = pair.host;
            to = pair.guest;
        }

        public static void main(String[] args) {
            try (LinkPair pair = new LinkPair(LinkTest.SMALL)) {
                Traffic traffic = new Traffic(pair);
                for (int round = 0; round < ROUNDS; round++) {
                    int sent = traffic.send(args[0]);
                    if (traffic.to.poll(traffic.handler, 100) != sent) {
                        throw new AssertionError("lost");
                    }
                }
                System.out.println(traffic.taken > 0 ? "done" : "nothing came");
            }
        }

        private void take(long value) {
            taken += 1 + value;
        }

        private static boolean write(int index, FrameWriter frame) {
            if (!frame.begin(1, 0, index, index == 1 ? 1000 : 64)) {
                return false;
            }
            frame.putLong(8, index);
            return true;
        }

        private int send(String how) {
            return switch (how) {
                case "frames" -> {
                    expect(from.trySend(small), SendResult.SENT);
                    expect(from.trySend(large), SendResult.SENT);
                    yield 2;
                }
                case "claims" -> {
                    claim(64);
                    claim(1000);
                    yield 2;
                }
                case "batches" -> from.sendBatch(3, writer);
                case "shared" -> {
                    expect(from.sharedSender().trySend(small), SendResult.SENT);
                    expect(from.sharedSender().trySend(large), SendResult.SENT);
                    yield 2;
                }
                default -> {
                    expect(from.trySend(large), SendResult.SENT);
                    expect(from.trySend(large), SendResult.NO_SLOT);
                    if (from.tryClaim(1000) != null) {
                        throw new AssertionError("claimed");
                    }
                    yield 1;
                }
            };
        }

        private void claim(int length) {
            SlotWriter claim = from.tryClaim(length);
            if (claim == null) {
                throw new AssertionError(String.valueOf(from.claimRefusal()));
            }
            claim.bytes().putLong(8, length);
            expect(claim.commit(1, 0, 7), SendResult.SENT);
        }

        private static void expect(SendResult result, SendResult expected) {
            if (result != expected) {
                throw new AssertionError(result.toString());
            }
        }
    }
}
