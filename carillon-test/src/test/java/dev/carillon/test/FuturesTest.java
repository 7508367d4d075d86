package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class FuturesTest {
    private final Exception cause = new Exception("planted");

    @Test
    void theValueOfAFutureIsReturned() {
        assertEquals("here", Futures.get(CompletableFuture.completedFuture("here")));
    }

    @Test
    void aFailureIsTheCauseOfTheAssertionError() {
        AssertionError thrown =
                assertThrows(AssertionError.class, () -> Futures.get(CompletableFuture.failedFuture(cause)));
        assertSame(cause, thrown.getCause());
    }

    @Test
    void aFailureThatIsExpectedIsReturned() {
        assertSame(cause, Futures.failureOf(CompletableFuture.failedFuture(cause)));
        CompletableFuture<String> cancelled = new CompletableFuture<>();
        cancelled.cancel(true);
        assertInstanceOf(CancellationException.class, Futures.failureOf(cancelled));
    }

    @Test
    void aValueWhereAFailureIsExpectedIsNamed() {
        AssertionError thrown = assertThrows(
                AssertionError.class, () -> Futures.failureOf(CompletableFuture.completedFuture("a value")));
        assertEquals("it did not fail but gave a value", thrown.getMessage());
    }
}
