package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.call.Epoll;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Numbers at the limits of what options take, and beyond. */
final class EventLoopOptionsTest {
    private enum Number {
        BATCH(Integer.MAX_VALUE, value -> EventLoopOptions.builder().batch(value)),
        EVENTS(Epoll.MOST_EVENTS, value -> EventLoopOptions.builder().events(value)),
        SCRATCH(Integer.MAX_VALUE, value -> EventLoopOptions.builder().scratch(value)),
        BACKLOG(Integer.MAX_VALUE, value -> EventLoopOptions.builder().backlog(value)),
        BLOCKED_AFTER(Integer.MAX_VALUE, value -> EventLoopOptions.builder().blockedAfter(seconds(value))),
        SLOW_ITERATION(Integer.MAX_VALUE, value -> EventLoopOptions.builder().slowIteration(seconds(value)));

        /** Zero, which is allowed, for 1. */
        private static Duration seconds(int value) {
            return Duration.ofSeconds(value - 1L);
        }

        private final int most;
        private final IntFunction<EventLoopOptions.Builder> builder;

        Number(int most, IntFunction<EventLoopOptions.Builder> builder) {
            this.most = most;
            this.builder = builder;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNumberBeyondItsLimitIsRefusedByName(Number number) {
        for (int fits : new int[] {1, 2, number.most - 1, number.most}) {
            EventLoopOptions options = number.builder.apply(fits).build();
            assertEquals(options, options.toBuilder().build());
        }
        for (int value : new int[] {Integer.MIN_VALUE + 1, -1, 0, number.most + 1, Integer.MAX_VALUE}) {
            if (value >= 1 && value <= number.most) {
                continue;
            }
            IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> number.builder
                    .apply(value)
                    .build());
            String name = number.name().replace("_", "").toLowerCase(Locale.ROOT) + "=";
            assertTrue(refusal.getMessage().toLowerCase(Locale.ROOT).contains(name), refusal::getMessage);
        }
    }
}
