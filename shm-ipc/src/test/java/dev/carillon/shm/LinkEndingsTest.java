package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.Futures;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What users are told when a link or its loop has ended. */
final class LinkEndingsTest {
    // r[verify shm.loop]
    @Test
    void aWaitThatBeganJustBeforeTheEndOfItsLoopIsNoErrorOfTheLoop() throws Exception {
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        EventLoopOptions options = EventLoopOptions.builder()
                .errorHandler((where, error) -> errors.add(error))
                .build();
        try (EventLoop loop = EventLoop.open(options).start();
                BareLink links = new BareLink()) {
            CountDownLatch held = new CountDownLatch(1);
            CompletableFuture<Boolean> holding = new CompletableFuture<>();
            loop.execute(() -> {
                holding.complete(true);
                try {
                    assertTrue(held.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            assertTrue(Futures.get(holding));
            // The loop comes to none of this before it ends.
            CompletableFuture<?> receiving = links.host.onLoop(loop).receiveAsync();
            loop.requestStop();
            held.countDown();
            assertInstanceOf(ClosedException.class, Futures.failureOf(receiving));
            assertTrue(loop.awaitTermination(LIMIT));
            assertEquals(List.of(), List.copyOf(errors));
        }
    }

    @Test
    void eachCallAfterTheCloseIsToldThatTheLinkWasClosed() throws Exception {
        try (LinkPair pair = new LinkPair(BareLink.SMALL)) {
            ShmLink link = pair.host;
            link.close();
            List<Executable> calls = List.of(
                    () -> link.trySend(text("x")),
                    () -> link.send(text("x"), LIMIT),
                    () -> link.sendAndRing(text("x")),
                    () -> link.sendBatch(1, (i, frame) -> false),
                    () -> link.tryClaim(8),
                    () -> link.awaitClaim(8, LIMIT),
                    () -> link.sharedSender().trySend(text("x")),
                    () -> link.sharedSender().send(text("x"), LIMIT),
                    () -> link.awaitSpace(LIMIT),
                    () -> link.awaitSpace(1000, LIMIT),
                    () -> link.awaitData(LIMIT),
                    () -> link.receive(NO_TIME),
                    () -> link.poll(frame -> {}, 1),
                    () -> link.onLoop(EventLoop.shared()));
            for (int i = 0; i < calls.size(); i++) {
                String told = assertThrows(ClosedException.class, calls.get(i), "call " + i)
                        .toString();
                assertTrue(told.contains("ShmLink") && told.contains("was closed"), "call " + i + ": " + told);
            }
        }
    }

    @Test
    void whoWaitsWhileTheLinkIsClosedIsNotToldOfAUseAfterTheClose() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (EventLoop loop = EventLoop.open().start();
                    BareLink links = new BareLink()) {
                CompletableFuture<?> receiving = links.host.onLoop(loop).receiveAsync();
                Waiting<Boolean> waiting = Waiting.on(() -> links.host.awaitSpace(1000, LIMIT));
                links.host.close();
                String told = Futures.failureOf(receiving).toString();
                assertTrue(told.contains("was closed"), told);
                assertFalse(told.contains("used after") || told.contains("memfd"), told);
                Throwable ended = waiting.ended();
                assertTrue(ended == null || ended.toString().contains("was closed"), () -> "" + ended);
            }
        }
    }
}
