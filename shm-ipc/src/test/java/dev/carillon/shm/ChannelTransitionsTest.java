package dev.carillon.shm;

import static dev.carillon.shm.ChannelTest.accepted;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each wait of a channel, by a thread and on a loop, and each end of its link; what ends a channel alone is in ChannelTest. */
final class ChannelTransitionsTest {
    /** Longer than a test: whoever is not woken makes it fail. */
    private static final Duration LONG = LIMIT.multipliedBy(20);

    private static final long WINDOW = 256 * 1024;

    enum Wait {
        CREDIT,
        SLOT,
        DATA,
        CHANNEL
    }

    enum Transition {
        GOODBYE,
        OWN_CLOSE,
        DEATH,
        FAILURE
    }

    enum By {
        THREAD,
        LOOP
    }

    /** One row. */
    record Row(Wait awaited, Transition transition, By by) {}

    static Stream<Row> rows() {
        return Stream.of(Wait.values())
                .flatMap(wait -> Stream.of(Transition.values())
                        .flatMap(transition -> Stream.of(By.values()).map(by -> new Row(wait, transition, by))));
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wakeup.credit-wait]
    @ParameterizedTest
    @MethodSource("rows")
    void eachWaitOfAChannelIsEndedByEachEndOfTheLink(Row row) throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                BareLink links = new BareLink()) {
            Callable<@Nullable Object> outcome = row.by == By.LOOP ? onLoop(row, links, loop) : byThread(row, links);
            happen(row, links);
            String ended = told(outcome);
            assertTrue(expected(row).contains(ended), ended);
        }
    }

    private static Callable<@Nullable Object> byThread(Row row, BareLink links) throws Exception {
        ShmChannel channel = links.host.openChannel();
        use(row, channel, links);
        assertEquals(CreditResult.TIMED_OUT, channel.awaitCredit(WINDOW, Duration.ofMillis(1)));
        // As long as nothing watches the peer a sleep is short, so that a wakeup that is lost is found.
        Deadline.after(LIMIT).await("the peer is watched", links.host::isPeerWatched);
        Waiting<@Nullable Object> waiting = Waiting.on(() -> switch (row.awaited) {
            case CREDIT -> channel.awaitCredit(WINDOW, LONG);
            case SLOT -> channel.send(BareLink.LARGE, LONG);
            case DATA -> channel.receive(LONG);
            case CHANNEL -> links.host.acceptChannel(LONG);
        });
        waiting.awaitAsleep();
        return () -> {
            Throwable failure = waiting.ended();
            return failure != null ? failure : waiting.resultIfAny();
        };
    }

    private static Callable<@Nullable Object> onLoop(Row row, BareLink links, EventLoop loop) throws Exception {
        AsyncLink link = AsyncChannelTest.watched(links.host, loop);
        AsyncChannel channel = link.openChannel();
        use(row, channel.channel(), links);
        CompletableFuture<?> waiting = switch (row.awaited) {
            case CREDIT -> channel.awaitCreditAsync(WINDOW);
            case SLOT -> channel.sendAsync(BareLink.LARGE);
            case DATA -> channel.receiveAsync();
            case CHANNEL -> link.acceptChannelAsync();
        };
        assertFalse(waiting.isDone());
        return () -> {
            CompletableFuture<@Nullable Object> ended =
                    waiting.handle((result, failure) -> failure != null ? failure : result);
            return Futures.get(ended);
        };
    }

    /** Some of the credit, and the only large slot. */
    private static void use(Row row, ShmChannel channel, BareLink links) throws InterruptedException {
        assertEquals(channel.id(), accepted(links.guest).id());
        assertEquals(SendResult.SENT, channel.trySend(row.awaited == Wait.SLOT ? BareLink.LARGE : text("some")));
    }

    private static void happen(Row row, BareLink links) {
        switch (row.transition) {
            case GOODBYE -> links.guest.close();
            case OWN_CLOSE -> links.host.close();
            case DEATH -> links.tearOut(Side.GUEST);
            case FAILURE -> {
                links.corrupt();
                // The other half of this side finds it out.
                assertThrows(IllegalStateException.class, () -> {
                    if (row.awaited == Wait.DATA || row.awaited == Wait.CHANNEL) {
                        links.host.trySend(text("x"));
                    } else {
                        links.host.receive(NO_TIME);
                    }
                });
            }
        }
    }

    private static Set<String> expected(Row row) {
        boolean sends = row.awaited == Wait.CREDIT || row.awaited == Wait.SLOT;
        String gone = sends ? "PEER_GONE" : "null";
        return switch (row.transition) {
            case GOODBYE, DEATH -> Set.of(gone);
            case OWN_CLOSE -> Set.of("closed");
            case FAILURE -> Set.of("has failed", gone);
        };
    }

    private static String told(Callable<@Nullable Object> outcome) throws Exception {
        Object ended = outcome.call();
        if (ended instanceof ClosedException) {
            return "closed";
        }
        String message = String.valueOf(ended);
        return ended instanceof Throwable && message.contains("has failed") ? "has failed" : message;
    }
}
