package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.ClosedException;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is made shorter while threads wait on a word in it. */
// r[verify futex.truncation]
abstract class TruncatedWordContract {
    private static final int PAGE = 4_096;
    private static final long NEVER = Long.MAX_VALUE;

    @TempDir
    Path folder;

    private MemoryRegion region = MemoryRegion.anonymous(1);
    private FutexWord word = FutexWord.at(region, 0);

    abstract WordSleep sleep();

    abstract boolean isAsleep(Thread thread);

    @BeforeEach
    void makeTheFile() {
        region.close();
        region = MemoryRegion.createFile(folder.resolve("file"), 2 * PAGE);
        word = new FutexWord(region, PAGE, sleep());
    }

    @AfterEach
    void closeTheRegion() {
        region.close();
    }

    private void truncate() throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve("file"), StandardOpenOption.WRITE)) {
            channel.truncate(PAGE);
        }
    }

    private Waiting asleep() {
        Waiting waiting = new Waiting(() -> word.await(0, NEVER));
        Deadline.after(FutexContract.LIMIT).await("it sleeps", () -> isAsleep(waiting.thread));
        return waiting;
    }

    @Test
    void whoSleepsIsToldThatTheFileWasTruncated() throws Exception {
        Waiting waiting = asleep();
        truncate();
        assertInstanceOf(RegionTruncatedException.class, waiting.failure());
    }

    @Test
    void whoComesLaterIsToldTheSame() throws Exception {
        truncate();
        assertThrows(RegionTruncatedException.class, () -> word.await(0, NEVER));
        assertThrows(RegionTruncatedException.class, () -> word.await(0, System.nanoTime() - 1));
    }

    @Test
    void nobodyIsWokenAndNothingIsThrown() throws Exception {
        truncate();
        assertFalse(word.wakeOne());
        assertEquals(0, word.wakeAll());
    }

    @Test
    void closingTheRegionEndsTheWaitsAndReleasesIt() throws Exception {
        List<Waiting> waiting = List.of(asleep(), asleep());
        long open = MemoryRegion.stats().open();
        truncate();
        region.close();
        assertEquals(open - 1, MemoryRegion.stats().open());
        for (Waiting one : waiting) {
            Throwable told = one.failure();
            if (!(told instanceof RegionTruncatedException)) {
                assertInstanceOf(ClosedException.class, told);
            }
        }
    }

    @Test
    void anInterruptEndsTheWaitAndThrowsNothingAtTheInterrupter() throws Exception {
        Waiting waiting = asleep();
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread interrupter = new Thread(() -> waiting.thread.interrupt(), "interrupts");
        interrupter.setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        truncate();
        interrupter.start();
        interrupter.join(FutexContract.LIMIT.toMillis());
        assertEquals(List.of(), uncaught);
        Throwable told = waiting.failure();
        if (!(told instanceof RegionTruncatedException)) {
            assertInstanceOf(InterruptedException.class, told);
        }
    }
}
