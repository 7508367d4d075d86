package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkTest.SMALL;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of all sizes, and counters that start anywhere. */
final class LinkSizesTest {
    // r[verify shm.ring] r[verify shm.slot.classes]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 95, 96, 97, 256, 257, 1023, 1024})
    void aFrameOfEachSizeArrivesAsItWasSent(int length) throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            for (int i = 0; i < 20; i++) {
                assertArrives(pair.host, pair.guest, Frame.of(i, 2 * i, -i, bytes(length, i)));
                assertArrives(pair.guest, pair.host, Frame.of(i, 2 * i, i, bytes(length, -i)));
            }
        }
    }

    private static void assertArrives(ShmLink from, ShmLink to, Frame sent) throws InterruptedException {
        assertEquals(SendResult.SENT, from.send(sent, LONG));
        Frame received = receive(to);
        assertEquals(sent.type(), received.type());
        assertEquals(sent.flags(), received.flags());
        assertEquals(sent.id(), received.id());
        assertEquals(sent.payload(), received.payload());
    }

    // r[verify shm.ring]
    @ParameterizedTest
    @ValueSource(longs = {0xFFFF_FFF0L, 0x7FFF_FFFF_FFFF_FFF0L, -16, 0x8000_0000_0000_0000L})
    void countersThatStartAnywhereMakeNoDifference(long start) throws Exception {
        try (LinkPair far = new LinkPair(SMALL, start)) {
            for (int i = 0; i < 100; i++) {
                assertEquals(SendResult.SENT, far.host.send(Frame.of(1, i, bytes(i * 10, i)), LONG));
                assertEquals(SendResult.SENT, far.guest.send(Frame.of(1, i, bytes(i, i)), LONG));
                assertEquals(i * 10, receive(far.guest).length());
                assertEquals(i, receive(far.host).id());
            }
        }
    }
}
