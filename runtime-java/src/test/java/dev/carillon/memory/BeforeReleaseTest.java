package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.ClosedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BeforeReleaseTest {
    @Test
    void actionsRunOnceWhenAccessIsRefusedAndTheMemoryIsStillThere() {
        MemoryRegion region = MemoryRegion.anonymous(Integer.BYTES);
        OrderedBytes bytes = region.bytes();
        bytes.putInt(0, 42);
        List<Integer> seen = new ArrayList<>();
        region.beforeRelease(() -> {
            assertThrows(ClosedException.class, () -> bytes.getInt(0));
            seen.add(region.buffer().getInt(0));
        });
        region.close();
        region.close();
        assertEquals(List.of(42), seen);
    }

    @Test
    void aClosedRegionTakesNoMore() {
        MemoryRegion region = MemoryRegion.anonymous(Integer.BYTES);
        region.close();
        assertThrows(ClosedException.class, () -> region.beforeRelease(() -> {}));
    }
}
