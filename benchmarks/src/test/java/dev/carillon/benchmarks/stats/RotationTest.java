package dev.carillon.benchmarks.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RotationTest {
    private static final List<String> ABC = List.of("a", "b", "c");

    @Test
    void eachRoundStartsWithTheNextVariant() {
        assertEquals(List.of("a", "b", "c"), Rotation.order(ABC, 0));
        assertEquals(List.of("b", "c", "a"), Rotation.order(ABC, 1));
        assertEquals(List.of("c", "a", "b"), Rotation.order(ABC, 2));
        assertEquals(List.of("a", "b", "c"), Rotation.order(ABC, 3));
    }

    @Test
    void overAllRoundsEachVariantIsAsOftenInEachPlace() {
        for (String variant : ABC) {
            int places = IntStream.range(0, 6)
                    .map(round -> Rotation.order(ABC, round).indexOf(variant))
                    .sum();
            assertEquals(6, places, variant);
        }
    }
}
