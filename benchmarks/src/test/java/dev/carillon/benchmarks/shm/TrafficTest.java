package dev.carillon.benchmarks.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TrafficTest {
    @Test
    void theSumIsThatOfAllStamps() {
        assertSum(Traffic.small(16), 0, 1);
        assertSum(Traffic.small(1), 1_000_003, 17);
        assertSum(Traffic.large(1 << 16), 5, 9);
    }

    private static void assertSum(Traffic traffic, long first, int count) {
        long sum = 0;
        for (long number = first; number < first + count; number++) {
            for (int offset = 0, i = 0; offset < traffic.bytes(); offset += traffic.stride(), i++) {
                sum += number + i;
            }
        }
        assertEquals(sum, traffic.sum(first, count), traffic.toString());
    }
}
