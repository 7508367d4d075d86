package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.benchmarks.model.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoresTest {
    @Test
    void theKernelsListsAreRead() {
        assertEquals(List.of(0, 1, 2, 3, 8, 10, 11), Cores.parseList("0-3,8,10-11"));
        assertEquals(List.of(5), Cores.parseList("5"));
    }

    @Test
    void theAllowedCoresStandInTheStatus() {
        assertEquals(List.of(2, 3), Cores.allowed("Name:\tjava\nCpus_allowed_list:\t2-3\nThreads:\t1\n"));
        assertThrows(IllegalStateException.class, () -> Cores.allowed("Name:\tjava\n"));
    }

    @Test
    void bothSidesShareOneCoreOrHaveTwoOrGoFree() {
        Cores cores = new Cores(7, 5);
        assertEquals(7, cores.first(Placement.ONE_CORE));
        assertEquals(7, cores.second(Placement.ONE_CORE));
        assertEquals(7, cores.first(Placement.TWO_CORES));
        assertEquals(5, cores.second(Placement.TWO_CORES));
        assertEquals(-1, cores.first(Placement.FREE));
        assertEquals(-1, cores.second(Placement.FREE));
    }
}
