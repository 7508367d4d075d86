package dev.carillon.shm.doorbell;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What tests of doorbells share. */
final class Bells {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private Bells() {}

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("it failed", e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result within " + LIMIT, e);
        }
    }

    static Throwable failureOf(CompletableFuture<?> future) {
        try {
            throw new AssertionError("it did not fail but gave " + future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result within " + LIMIT, e);
        }
    }
}
