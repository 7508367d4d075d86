package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.test.Futures;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** What tests of a loop share: one loop per test, closed afterwards, on the backend that the subclass names. */
abstract class LoopCase {
    static final Duration LIMIT = Duration.ofSeconds(20);

    final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    abstract BackendKind backend();

    // r[verify backend.matrix]
    @BeforeEach
    void skipWhereTheBackendIsMissing() {
        Availability availability = backend().availability();
        Assumptions.assumeTrue(availability.isAvailable(), availability::toString);
    }

    @AfterEach
    void closeWhatWasOpened() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        opened.clear();
    }

    <T extends AutoCloseable> T closeLater(T closeable) {
        opened.add(closeable);
        return closeable;
    }

    EventLoopOptions.Builder options() {
        return EventLoopOptions.builder().backend(backend()).errorHandler((loop, error) -> errors.add(error));
    }

    PollingLoop open() {
        return open(options());
    }

    PollingLoop open(EventLoopOptions.Builder options) {
        return (PollingLoop) closeLater(EventLoop.open(options.build()));
    }

    PollingLoop started() {
        PollingLoop loop = open();
        loop.start();
        return loop;
    }

    static void awaitParked(PollingLoop loop) {
        dev.carillon.test.Deadline.after(LIMIT).await("the loop is parked", loop.runner()::isBlockedInPoll);
    }

    static <T> T get(CompletableFuture<T> future) {
        return Futures.get(future);
    }

    static Throwable failureOf(CompletableFuture<?> future) {
        return Futures.failureOf(future);
    }

    /** Runs something on the loop thread and waits for it. */
    static <T> T on(EventLoop loop, java.util.concurrent.Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(action.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return get(result);
    }

    /** Port 0 of the loopback interface, IPv4. */
    static InetSocketAddress localFour() {
        return local(new byte[] {127, 0, 0, 1});
    }

    /** Port 0 of the loopback interface, IPv6. */
    static InetSocketAddress localSix() {
        return local(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    }

    private static InetSocketAddress local(byte[] address) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    static void assertMessage(@Nullable Throwable failure, String part) {
        assertTrue(failure != null && String.valueOf(failure.getMessage()).contains(part), () -> "failure=" + failure);
    }
}
