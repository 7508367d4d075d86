package dev.carillon.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.ClosedException;
import dev.carillon.test.proc.Descriptors;
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

    // r[verify futex.truncation]
    @Test
    void anActionThatFailsKeepsNeitherTheOthersNorTheMemory() {
        MemoryRegion region = MemoryRegion.memfd("fails", Integer.BYTES);
        int descriptor = region.fd();
        List<Integer> ran = new ArrayList<>();
        IllegalStateException first = new IllegalStateException("first");
        region.beforeRelease(() -> {
            throw first;
        });
        region.beforeRelease(() -> ran.add(1));
        region.beforeRelease(() -> {
            throw new StackOverflowError("second");
        });
        region.beforeRelease(() -> ran.add(2));
        assertSame(first, assertThrows(IllegalStateException.class, region::close));
        assertEquals(1, first.getSuppressed().length);
        assertEquals(List.of(1, 2), ran);
        assertFalse(String.valueOf(Descriptors.open().get(descriptor)).contains("fails"));
        region.close();
    }

    // r[verify memory.close.once]
    @Test
    void anActionMayCloseWhatIsBeingClosed() {
        MemoryRegion region = MemoryRegion.anonymous(Integer.BYTES);
        List<Integer> ran = new ArrayList<>();
        region.beforeRelease(() -> {
            ran.add(1);
            region.close();
        });
        region.beforeRelease(() -> ran.add(region.buffer().getInt(0)));
        region.close();
        assertEquals(List.of(1, 0), ran);
    }

    @Test
    void aClosedRegionTakesNoMore() {
        MemoryRegion region = MemoryRegion.anonymous(Integer.BYTES);
        region.close();
        assertThrows(ClosedException.class, () -> region.beforeRelease(() -> {}));
    }
}
