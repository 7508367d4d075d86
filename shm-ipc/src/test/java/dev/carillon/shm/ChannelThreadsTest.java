package dev.carillon.shm;

import static dev.carillon.shm.ChannelTest.accepted;
import static dev.carillon.shm.ChannelTest.received;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Channels that are used by several threads at once. */
final class ChannelThreadsTest {
    @Test
    void channelsWithThreadsOfTheirOwnDeliverAllInOrder() throws Exception {
        int channels = 3;
        int frames = 3_000;
        try (LinkPair pair = new LinkPair(ChannelTest.CONFIG)) {
            List<Waiting<Integer>> threads = new ArrayList<>();
            for (int i = 0; i < channels; i++) {
                ShmChannel sender = pair.host.openChannel();
                ShmChannel receiver = accepted(pair.guest);
                int seed = i;
                threads.add(Waiting.on(() -> sent(sender, frames, seed)));
                threads.add(Waiting.on(() -> echoed(receiver, frames, seed)));
                threads.add(Waiting.on(() -> answered(sender, frames)));
            }
            for (Waiting<Integer> each : threads) {
                assertEquals(frames, each.result());
            }
        }
    }

    private static int sent(ShmChannel channel, int frames, int seed) throws InterruptedException {
        for (int i = 0; i < frames; i++) {
            assertEquals(SendResult.SENT, channel.send(ChannelTest.frame(i, (i * 7 + seed) % 900), LONG));
        }
        return frames;
    }

    private static int echoed(ShmChannel channel, int frames, int seed) throws InterruptedException {
        for (int i = 0; i < frames; i++) {
            Frame next = received(channel);
            assertEquals(ChannelTest.frame(i, (i * 7 + seed) % 900).payload(), next.payload());
            assertEquals(SendResult.SENT, channel.send(Frame.of(2, next.id(), bytes(8, 0)), LONG));
        }
        return frames;
    }

    private static int answered(ShmChannel channel, int frames) throws InterruptedException {
        for (int i = 0; i < frames; i++) {
            assertEquals(i, received(channel).id());
        }
        return frames;
    }
}
