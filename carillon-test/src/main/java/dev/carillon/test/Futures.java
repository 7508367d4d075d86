package dev.carillon.test;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What futures come to, for tests: a future that fails, or takes longer than 30 seconds, is an {@link AssertionError}.
 *
 * <p><b>Threading</b> Any thread.
 */
public final class Futures {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Futures() {}

    /**
     * The value of a future.
     *
     * @throws AssertionError when it fails, with its cause; or when it is not done in time, with all threads' stacks
     */
    public static <T extends @Nullable Object> T get(Future<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("it failed", e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result within " + LIMIT + ". " + ThreadDump.ofAll(), e);
        }
    }

    /**
     * Why a future fails; for one that was cancelled the CancellationException.
     *
     * @throws AssertionError when it has a value, or is not done in time, with all threads' stacks
     */
    public static Throwable failureOf(Future<?> future) {
        try {
            Object value = future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("it did not fail but gave " + value);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        } catch (CancellationException e) {
            return e;
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result within " + LIMIT + ". " + ThreadDump.ofAll(), e);
        }
    }
}
