package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two threads that send at once, against the rule. */
final class SendersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    // r[verify shm.senders]
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoSendersAtOnceAreToldInCheckedModeOnly(boolean checked) {
        ChildExit exit = ChildJvm.of(TwoSenders.class)
                .vmFlags("-Dcarillon.checks=" + checked)
                .run(PATIENCE);
        exit.assertPrinted(checked ? "told" : "SENT");
        exit.assertPrinted("then SENT");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** One waits for a slot, and another one sends meanwhile. */
    static final class TwoSenders {
        public static void main(String[] args) throws Exception {
            try (LinkPair pair = new LinkPair(LinkTest.SMALL)) {
                Frame large = Frame.of(1, 0, bytes(1000, 0));
                pair.host.trySend(large);
                Waiting<SendResult> waiting = Waiting.on(() -> pair.host.send(large, LIMIT));
                waiting.awaitAsleep();
                System.out.println(sent(pair.host));
                pair.guest.poll(frame -> {}, 10);
                System.out.println("then " + waiting.result());
                // One after the other is no mistake.
                if (pair.host.trySend(text("x")) != SendResult.SENT) {
                    throw new IllegalStateException("refused");
                }
            }
        }

        private static String sent(ShmLink link) {
            try {
                return link.trySend(text("x")).toString();
            } catch (IllegalStateException told) {
                String why = String.valueOf(told.getMessage());
                boolean both =
                        why.startsWith("two senders on one side: the threads waits on a link and main send over");
                return both && why.contains("sharedSender()") ? "told" : why;
            }
        }
    }
}
