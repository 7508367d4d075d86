package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A callback that throws loses no signal, whatever it throws; injected signals, so no native part. */
// r[verify signal.throw]
final class SignalThrowTest extends SignalCase {
    SignalThrowTest() {
        super(CaptureKind.AUTO);
    }

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("an exception"),
                new NoSuchMethodError("of an older library"),
                new AssertionError("an error"),
                new StackOverflowError("too deep"),
                new IOException("what Kotlin does not declare"));
    }

    /** Throws when its signal comes. */
    private static final class Throwing extends SignalWaiter {
        private final Throwable thrown;
        private final boolean givesBack;
        volatile @Nullable RuntimeException failure;

        Throwing(Throwable thrown, boolean givesBack) {
            super(SignalSet.of(URG));
            this.thrown = thrown;
            this.givesBack = givesBack;
        }

        @Override
        protected void onSignal(SignalInfo info) {
            if (givesBack) {
                giveBack();
            }
            sneak(thrown);
        }

        @Override
        protected void onFailure(RuntimeException cause) {
            failure = cause;
            throw new IllegalArgumentException("thrown once more");
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void sneak(Throwable thrown) throws T {
            throw (T) thrown;
        }

        Throwable cause() {
            RuntimeException told = Objects.requireNonNull(failure, "it was not told");
            return told == thrown ? told : Objects.requireNonNull(told.getCause());
        }
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void theNextWaiterGetsTheRecordAndTheWaitFailsWithTheCause(Throwable thrown) {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        Throwing throwing = new Throwing(thrown, false);
        TestWaiter next = new TestWaiter(SignalSet.of(URG));
        service.start(throwing);
        service.start(next);
        service.inject(numbered(URG, 7));
        Deadline.after(LIMIT)
                .await(
                        "the next has it",
                        () -> on(loop, () -> List.copyOf(next.got)).equals(List.of(numbered(URG, 7))));
        assertSame(thrown, throwing.cause());
        assertSame(thrown, errors.remove(), "the loop's error handler is told");
        assertTrue(errors.isEmpty(), errors::toString);
        assertEquals("thrown once more", thrown.getSuppressed()[0].getMessage());
    }

    @Test
    void withoutANextOneTheRecordIsKeptInItsPlace() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        on(loop, () -> {
            service.start(new Throwing(new NoSuchMethodError("m"), false));
            service.inject(numbered(URG, 1));
            service.inject(numbered(URG, 2));
            return true;
        });
        Deadline.after(LIMIT).await("both are pending", () -> service.stats().pending() == 2);
        assertEquals(1, get(service.await(URG)).value());
        assertEquals(2, get(service.await(URG)).value());
        errors.clear();
    }

    @Test
    void aRecordThatWasGivenBackBeforeIsNotGivenBackTwice() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        service.start(new Throwing(new NoSuchMethodError("m"), true));
        service.inject(numbered(URG, 1));
        assertEquals(1, get(service.await(URG)).value());
        Deadline.after(LIMIT).await("the handler was told", () -> !errors.isEmpty());
        assertEquals(true, on(loop, () -> true));
        assertEquals(0, service.stats().pending());
        errors.clear();
    }
}
