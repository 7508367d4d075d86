package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.shm.audit.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An audit in the midst of a call finds nothing, wherever the counters stand. */
// r[verify shm.audit]
final class AuditInTheMidstTest {
    private static final int LONG_BYTES = 300;

    private static final LinkConfig CONFIG =
            LinkConfig.builder().ring(8).slots(512, 4).channels(8).window(2_000).build();

    /** Around the end of all counters. */
    @ParameterizedTest
    @ValueSource(longs = {0, -3, Long.MAX_VALUE - 3})
    void nothingIsFoundInAHandlerABatchOrAClaim(long start) throws Exception {
        try (AuditedLink link = new AuditedLink(CONFIG, start)) {
            link.assertClean(Moment.QUIET);
            for (int round = 0; round < 5; round++) {
                batch(link);
                claim(link);
                receive(link);
                link.assertClean(Moment.QUIET);
            }
        }
    }

    private static void batch(AuditedLink link) {
        int sent = link.pair.host.sendBatch(2, (index, frame) -> {
            assertTrue(frame.begin(1, 0, index, LONG_BYTES));
            link.assertClean(Moment.ANY);
            return true;
        });
        assertEquals(2, sent);
    }

    private static void claim(AuditedLink link) throws InterruptedException {
        SlotWriter claim = Objects.requireNonNull(link.pair.host.awaitClaim(LONG_BYTES, LONG));
        link.assertClean(Moment.QUIET);
        claim.commit(1, 0, 2);
    }

    private static void receive(AuditedLink link) {
        List<Frame> kept = new ArrayList<>();
        int polled = link.pair.guest.poll(
                frame -> {
                    link.assertClean(Moment.ANY);
                    kept.add(frame.retain());
                    link.assertClean(Moment.ANY);
                },
                8);
        assertEquals(3, polled);
        link.assertClean(Moment.QUIET);
        kept.forEach(Frame::release);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -3, Long.MAX_VALUE - 3})
    void nothingIsFoundAtAnyStepOfAChannel(long start) throws Exception {
        try (AuditedLink link = new AuditedLink(CONFIG, start)) {
            for (int round = 0; round < 5; round++) {
                ShmChannel host = link.pair.host.openChannel();
                link.assertClean(Moment.ANY);
                ShmChannel guest = Objects.requireNonNull(link.pair.guest.acceptChannel(LONG));
                link.assertClean(Moment.ANY);
                for (int i = 0; i < 4; i++) {
                    assertEquals(SendResult.SENT, host.send(Frame.of(1, i, bytes(LONG_BYTES, 1)), LONG));
                    link.assertClean(Moment.ANY);
                }
                for (int i = 0; i < 3; i++) {
                    Objects.requireNonNull(guest.receive(LONG));
                    link.assertClean(Moment.ANY);
                }
                end(link, host, guest, round % 2 == 0);
            }
        }
    }

    private static void end(AuditedLink link, ShmChannel host, ShmChannel guest, boolean resets) {
        if (resets) {
            guest.reset();
        } else {
            guest.close();
        }
        link.assertClean(Moment.ANY);
        host.poll(frame -> {}, 1);
        link.assertClean(Moment.ANY);
        host.close();
        link.assertClean(Moment.ANY);
        guest.poll(frame -> {}, 8);
        link.assertClean(Moment.ANY);
    }
}
