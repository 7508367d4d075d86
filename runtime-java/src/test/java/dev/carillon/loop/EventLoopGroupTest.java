package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.call.Sys;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EventLoopGroupTest {
    @Test
    void loopsAreGivenOneAfterTheOther() {
        try (EventLoopGroup group = EventLoopGroup.start(3)) {
            EventLoop first = group.next();
            assertNotSame(first, group.next());
            group.next();
            assertSame(first, group.next());
            assertSame(first, group.get(0));
            assertEquals(3, group.size());
            assertEquals("carillon-loop-2", group.get(2).name());
        }
    }

    @Test
    void theMaskIsBlockedOnEachLoopThreadAndNowhereElse() {
        SignalSet mask = SignalSet.of(Signal.SIGUSR1, Signal.realtime(3));
        long before = Sys.get().signals().mask();
        try (EventLoopGroup group = EventLoopGroup.start(2, mask)) {
            for (int i = 0; i < 2; i++) {
                long blocked =
                        LoopCase.on(group.get(i), () -> Sys.get().signals().mask());
                assertTrue(SignalSet.ofBits(blocked).containsAll(mask));
            }
            assertEquals(before, Sys.get().signals().mask());
        }
    }

    @Test
    void closingAGroupEndsItsLoops() {
        EventLoopGroup group = EventLoopGroup.start(2);
        EventLoop loop = group.get(1);
        loop.schedule(Duration.ofHours(1), () -> {});
        group.close();
        assertTrue(loop.isTerminated());
    }

    @Test
    void aGroupHasALoopAtLeast() {
        assertThrows(IllegalArgumentException.class, () -> EventLoopGroup.start(0));
    }

    @Test
    void backendsThatAreNotThereSayWhy() {
        for (BackendKind backend : new BackendKind[] {BackendKind.IO_URING, BackendKind.PORTABLE}) {
            UnsupportedOperationException failure = assertThrows(
                    UnsupportedOperationException.class,
                    () -> EventLoop.open(
                            EventLoopOptions.builder().backend(backend).build()));
            assertTrue(String.valueOf(failure.getMessage()).contains("use AUTO or EPOLL"), failure::toString);
        }
        try (EventLoop loop = EventLoop.open()) {
            assertEquals(BackendKind.EPOLL, loop.backend());
        }
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> EventLoopOptions.builder().batch(0).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> EventLoopOptions.builder()
                        .blockedAfter(Duration.ofMillis(-1))
                        .build());
        EventLoopOptions options =
                EventLoopOptions.builder().name("x").batch(7).daemon(true).build();
        assertEquals(options, options.toBuilder().build());
    }

    // r[verify loop.group]
    @Test
    void aClosedGroupHasNoNextLoopAndOneThatHasEndedIsPassedOver() {
        EventLoopGroup group = EventLoopGroup.start(3);
        group.get(1).close();
        for (int i = 0; i < 6; i++) {
            assertNotSame(group.get(1), group.next());
        }
        group.close();
        ClosedException refused = assertThrows(ClosedException.class, group::next);
        assertTrue(String.valueOf(refused.getMessage()).contains("closed"), refused::toString);
    }
}
