package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Deadline;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RegionWordsTest {
    // r[verify futex.words-are-let-go]
    @Test
    void aWordThatNobodyUsesIsCollectedWhileItsRegionIsOpen() {
        try (MemoryRegion region = MemoryRegion.memfd("words", 4_096)) {
            List<WeakReference<Object>> made = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                made.add(new WeakReference<>(FutexWord.at(region, 0)));
                made.add(new WeakReference<>(EventCount.at(region, 0)));
            }
            Deadline.after(FutexContract.LIMIT).await("all are collected", () -> {
                System.gc();
                return made.stream().allMatch(one -> one.get() == null);
            });
            assertTrue(region.isOpen());
        }
    }
}
