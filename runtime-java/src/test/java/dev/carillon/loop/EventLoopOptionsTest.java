package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.call.Epoll;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers at the limits of what options take, and beyond. */
final class EventLoopOptionsTest {
    private record Limited(String name, int most, IntFunction<EventLoopOptions.Builder> builder) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Limited> options() {
        return List.of(
                new Limited(
                        "batch",
                        Integer.MAX_VALUE,
                        value -> EventLoopOptions.builder().batch(value)),
                new Limited(
                        "events",
                        Epoll.MAX_EVENTS,
                        value -> EventLoopOptions.builder().events(value)),
                new Limited(
                        "scratch",
                        Integer.MAX_VALUE,
                        value -> EventLoopOptions.builder().scratch(value)),
                new Limited(
                        "backlog",
                        Integer.MAX_VALUE,
                        value -> EventLoopOptions.builder().backlog(value)),
                new Limited(
                        "blockedAfter",
                        Integer.MAX_VALUE,
                        value -> EventLoopOptions.builder().blockedAfter(seconds(value))),
                new Limited(
                        "slowIteration",
                        Integer.MAX_VALUE,
                        value -> EventLoopOptions.builder().slowIteration(seconds(value))));
    }

    /** Zero, which is allowed, for 1. */
    private static Duration seconds(int value) {
        return Duration.ofSeconds(value - 1L);
    }

    @ParameterizedTest
    @MethodSource("options")
    void aNumberBeyondItsLimitIsRefusedByName(Limited number) {
        for (int fits : new int[] {1, 2, number.most - 1, number.most}) {
            EventLoopOptions options = number.builder.apply(fits).build();
            assertEquals(options, options.toBuilder().build());
        }
        for (int value : new int[] {Integer.MIN_VALUE + 1, -1, 0, number.most + 1, Integer.MAX_VALUE}) {
            if (value >= 1 && value <= number.most) {
                continue;
            }
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class,
                    () -> number.builder.apply(value).build());
            assertTrue(String.valueOf(refusal.getMessage()).contains(number.name + "="), refusal::toString);
        }
    }
}
