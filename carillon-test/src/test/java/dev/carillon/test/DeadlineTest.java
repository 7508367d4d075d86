package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(30);

    @Test
    void aFactThatBecomesTrueIsSeen() {
        AtomicInteger looks = new AtomicInteger();
        Deadline.after(LONG).await("looked a hundred times", () -> looks.incrementAndGet() == 100);
        assertEquals(100, looks.get());
    }

    @Test
    void anExpiredWaitNamesTheFactAndShowsTheThreads() {
        Deadline deadline = Deadline.after(SHORT);
        AssertionError failure =
                assertThrows(AssertionError.class, () -> deadline.await("the moon is full", () -> false));
        assertTrue(failure.toString().contains("Not true: the moon is full; waited PT0.03S."), failure.toString());
        assertTrue(failure.toString().contains(DeadlineTest.class.getName() + ".anExpired"), failure.toString());
        assertTrue(deadline.isOver());
        assertEquals(Duration.ZERO, deadline.remaining());
    }

    @Test
    void aFactThatIsTrueAlreadyNeedsNoTime() {
        assertTrue(Deadline.after(Duration.ZERO).poll(() -> true));
        assertFalse(Deadline.after(Duration.ZERO).poll(() -> false));
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws InterruptedException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Thread waiting = new Thread(() -> {
            Thread.currentThread().interrupt();
            AssertionError failure = assertThrows(
                    AssertionError.class, () -> Deadline.after(LONG).await("never", () -> false));
            seen.add(failure.toString() + Thread.currentThread().isInterrupted());
        });
        waiting.start();
        waiting.join(LONG.toMillis());
        assertEquals(1, seen.size());
        assertTrue(seen.get(0).contains("was interrupted"), seen.get(0));
        assertTrue(seen.get(0).endsWith("true"), seen.get(0));
    }

    @Test
    void aCallGivesItsValueOrItsOwnException() throws Exception {
        assertEquals(7, Deadline.call(LONG, () -> 7));
        IOException thrown = new IOException("mine");
        assertSame(
                thrown,
                assertThrows(
                        IOException.class,
                        () -> Deadline.call(LONG, () -> {
                            throw thrown;
                        })));
    }

    @Test
    void aCallThatHangsIsShownAndInterrupted() {
        // Its thread may not have come that far in so short a time.
        Deadline.after(LONG)
                .await("the call is shown where it hangs", () -> failureOfHang().contains("CountDownLatch.await"));
    }

    private static String failureOfHang() {
        CountDownLatch never = new CountDownLatch(1);
        AssertionError failure = assertThrows(
                AssertionError.class,
                () -> Deadline.call(SHORT, () -> {
                    never.await();
                    return never;
                }));
        assertTrue(failure.toString().contains("did not return within PT0.03S"), failure.toString());
        return failure.toString();
    }

    @Test
    void aLimitBelowZeroIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Deadline.after(Duration.ofMillis(-1)));
    }
}
