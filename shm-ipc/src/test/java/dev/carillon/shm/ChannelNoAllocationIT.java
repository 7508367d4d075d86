package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A frame on a channel leaves no garbage behind: not where it is sent, not where the link is polled, nor where it is granted. */
final class ChannelNoAllocationIT {
    /** An object of the smallest size per frame would need 32 MB. */
    private static final int ROUNDS = 500_000;

    @Test
    void aVmWithoutGarbageCollectorSendsOnChannelsForEver() {
        assertRunsWithoutCollector(Frames.class);
    }

    /** What the channel finds of its own it hands out where it lies; only what is for others is copied. */
    @Test
    void aVmWithoutGarbageCollectorReceivesOnAChannelForEver() {
        assertRunsWithoutCollector(OwnFrames.class);
    }

    private static void assertRunsWithoutCollector(Class<?> program) {
        ChildExit exit = ChildJvm.of(program)
                .vmFlags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx32m")
                .run(Duration.ofSeconds(60));
        exit.assertPrinted("done");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Sends on two channels, short frames and long ones, and polls. */
    static final class Frames {
        private static long received;

        public static void main(String[] args) throws InterruptedException {
            try (LinkPair pair = new LinkPair(
                    LinkConfig.builder().slots(1024, 8).window(3_000).build())) {
                ShmChannel one = pair.host.openChannel();
                ShmChannel other = pair.host.openChannel();
                ChannelTest.accepted(pair.guest);
                ChannelTest.accepted(pair.guest);
                Frame small = Frame.of(1, 1, LinkPair.bytes(64, 1));
                Frame large = Frame.of(1, 1, LinkPair.bytes(1000, 1));
                FrameHandler counter = frame -> received += frame.getLong(0) == 0 ? 0 : 1;
                long sent = 0;
                for (int i = 0; i < ROUNDS; i++) {
                    sent += one.trySend(small) == SendResult.SENT ? 1 : 0;
                    sent += other.trySend(i % 2 == 0 ? large : small) == SendResult.SENT ? 1 : 0;
                    pair.guest.poll(counter, 8);
                }
                System.out.println(sent == 2L * ROUNDS && received == sent ? "done" : sent + " " + received);
            }
        }
    }

    /** Sends on a channel, and receives by the channel. */
    static final class OwnFrames {
        private static long received;

        public static void main(String[] args) throws InterruptedException {
            try (LinkPair pair = new LinkPair(
                    LinkConfig.builder().slots(1024, 8).window(3_000).build())) {
                ShmChannel from = pair.host.openChannel();
                ShmChannel to = ChannelTest.accepted(pair.guest);
                Frame small = Frame.of(1, 1, LinkPair.bytes(64, 1));
                Frame large = Frame.of(1, 1, LinkPair.bytes(1000, 1));
                FrameHandler counter = frame -> received += frame.getLong(0) == 0 ? 0 : 1;
                long sent = 0;
                for (int i = 0; i < 2 * ROUNDS; i++) {
                    sent += from.trySend(i % 2 == 0 ? large : small) == SendResult.SENT ? 1 : 0;
                    to.poll(counter, 8);
                }
                System.out.println(sent == 2L * ROUNDS && received == sent ? "done" : sent + " " + received);
            }
        }
    }
}
