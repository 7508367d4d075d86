package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.function.Supplier;
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

    // r[verify shm.senders]
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatSendsOnAChannelMeanwhileIsASecondSender(boolean checked) {
        ChildExit exit = ChildJvm.of(SenderAndChannel.class)
                .vmFlags("-Dcarillon.checks=" + checked)
                .run(PATIENCE);
        exit.assertPrinted(checked ? "told" : "SENT");
        exit.assertPrinted("then SENT");
        exit.assertPrinted("later SENT");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** One waits for a slot, and another one sends on a channel. */
    static final class SenderAndChannel {
        public static void main(String[] args) throws Exception {
            try (LinkPair pair = new LinkPair(LinkTest.SMALL);
                    ShmChannel channel = pair.host.openChannel();
                    ShmChannel accepted = pair.guest.acceptChannel(LONG)) {
                Frame large = Frame.of(1, 0, bytes(1000, 0));
                pair.host.trySend(large);
                Waiting<SendResult> waiting = Waiting.on(() -> pair.host.send(large, LONG));
                waiting.awaitAsleep();
                System.out.println(TwoSenders.outcome(() -> channel.trySend(text("x"))));
                pair.guest.poll(frame -> {}, 10);
                System.out.println("then " + waiting.result());
                System.out.println("later " + channel.trySend(text("x")));
                if (accepted == null) {
                    throw new IllegalStateException("no channel");
                }
            }
        }
    }

    /** One waits for a slot, and another one sends meanwhile. */
    static final class TwoSenders {
        public static void main(String[] args) throws Exception {
            try (LinkPair pair = new LinkPair(LinkTest.SMALL)) {
                Frame large = Frame.of(1, 0, bytes(1000, 0));
                pair.host.trySend(large);
                Waiting<SendResult> waiting = Waiting.on(() -> pair.host.send(large, LONG));
                waiting.awaitAsleep();
                System.out.println(outcome(() -> pair.host.trySend(text("x"))));
                pair.guest.poll(frame -> {}, 10);
                System.out.println("then " + waiting.result());
                // One after the other is no mistake.
                if (pair.host.trySend(text("x")) != SendResult.SENT) {
                    throw new IllegalStateException("refused");
                }
            }
        }

        static String outcome(Supplier<SendResult> send) {
            try {
                return send.get().toString();
            } catch (IllegalStateException told) {
                String why = String.valueOf(told.getMessage());
                boolean both =
                        why.startsWith("two senders on one side: the threads waits on a link and main send over");
                return both && why.contains("sharedSender()") ? "told" : why;
            }
        }
    }
}
