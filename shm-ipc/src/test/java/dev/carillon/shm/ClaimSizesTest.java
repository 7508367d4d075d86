package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkTest.SMALL;
import static dev.carillon.shm.LinkTest.receive;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims of all sizes, inline and in slots. */
final class ClaimSizesTest {
    private static SlotWriter written(ShmLink link, int length, int seed) {
        SlotWriter claim = Objects.requireNonNull(link.tryClaim(length), () -> "refused: " + link.claimRefusal());
        claim.bytes().put(bytes(length, seed));
        return claim;
    }

    // r[verify shm.slot.classes]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 95, 96, 97, 256, 257, 1023, 1024})
    void aClaimOfEachSizeArrivesAsItWasWritten(int length) throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            for (int i = 0; i < 10; i++) {
                assertEquals(SendResult.SENT, written(pair.host, length, i).commit(i, 2 * i, -i));
                Frame received = receive(pair.guest);
                assertEquals(i, received.type());
                assertEquals(2 * i, received.flags());
                assertEquals(-i, received.id());
                assertEquals(bytes(length, i), received.payload());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {96, 1024})
    void aFrameMayBecomeShorterThanItsClaim(int length) throws Exception {
        try (LinkPair pair = new LinkPair(SMALL)) {
            for (int used : new int[] {0, 1, length - 1, length}) {
                assertEquals(SendResult.SENT, written(pair.host, length, used).commit(1, 0, 0, used));
                assertEquals(bytes(used, used), receive(pair.guest).payload());
            }
        }
    }
}
