package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.io.StreamSocket;
import dev.carillon.test.Futures;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** What tests of a loop share: one loop per test, closed afterwards, on the backend that the subclass names. */
public abstract class LoopCase {
    public static final Duration LIMIT = Duration.ofSeconds(20);

    protected final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    protected abstract BackendKind backend();

    // r[verify backend.matrix]
    @BeforeEach
    void skipWhereTheBackendIsMissing() {
        Availability availability = backend().availability();
        Assumptions.assumeTrue(availability.isAvailable(), availability::toString);
    }

    @AfterEach
    protected void closeWhatWasOpened() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        opened.clear();
    }

    protected final <T extends AutoCloseable> T closeLater(T closeable) {
        opened.add(closeable);
        return closeable;
    }

    protected final EventLoopOptions.Builder options() {
        return EventLoopOptions.builder().backend(backend()).errorHandler((loop, error) -> errors.add(error));
    }

    protected final EventLoop open() {
        return open(options());
    }

    protected final EventLoop open(EventLoopOptions.Builder options) {
        return closeLater(EventLoop.open(options.build()));
    }

    protected final EventLoop started() {
        EventLoop loop = open();
        loop.start();
        return loop;
    }

    protected final List<StreamSocket> pair(EventLoop loop) {
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        return pair;
    }

    public static void awaitParked(EventLoop loop) {
        dev.carillon.test.Deadline.after(LIMIT).await("the loop is parked", loop.parts.runner::isBlockedInPoll);
    }

    /** How often other threads have posted to a loop so far, cancels and timers included. */
    public static long posts(EventLoop loop) {
        LoopStats stats = loop.stats();
        return stats.wakeupsWritten() + stats.wakeupsElided();
    }

    public static <T> T get(CompletableFuture<T> future) {
        return Futures.get(future);
    }

    public static Throwable failureOf(CompletableFuture<?> future) {
        return Futures.failureOf(future);
    }

    /** Runs something on the loop thread and waits for it. */
    public static <T> T on(EventLoop loop, java.util.concurrent.Callable<T> action) {
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
    public static InetSocketAddress localFour() {
        return local(new byte[] {127, 0, 0, 1});
    }

    /** Port 0 of the loopback interface, IPv6. */
    public static InetSocketAddress localSix() {
        return local(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    }

    private static InetSocketAddress local(byte[] address) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    public static void assertMessage(@Nullable Throwable failure, String part) {
        assertTrue(failure != null && String.valueOf(failure.getMessage()).contains(part), () -> "failure=" + failure);
    }

    public static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    public static ByteBuffer direct(String text) {
        byte[] content = text.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(content.length).put(content).flip();
    }

    public static String text(ByteBuffer filled) {
        return StandardCharsets.US_ASCII.decode(filled.duplicate().flip()).toString();
    }

    public static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void joinUninterruptibly(Thread thread) {
        try {
            thread.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertFalse(thread.isAlive());
    }
}
