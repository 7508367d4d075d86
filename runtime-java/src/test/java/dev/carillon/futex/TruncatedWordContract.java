package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is made shorter while threads wait on a word in it. */
// r[verify futex.truncation]
abstract class TruncatedWordContract {
    private static final int PAGE = 4_096;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int TURNS = 20;
    private static final int ENOUGH_TO_COMPILE = 30_000;
    private static final int FAULTS_COME_IN_TIME = 25;

    @TempDir
    Path folder;

    private MemoryRegion region = MemoryRegion.anonymous(1);
    private FutexWord word = FutexWord.at(region, 0);
    private EventCount count = EventCount.at(region, 0);

    abstract WordSleep sleep();

    abstract boolean isAsleep(Thread thread);

    @BeforeEach
    void makeTheFile() {
        region.close();
        region = MemoryRegion.createFile(folder.resolve("file"), 2 * PAGE);
        word = new FutexWord(region, PAGE, sleep());
        count = new EventCount(new EventCountSteps(region, PAGE, sleep(), () -> {}));
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

    /** The kernel, too, finds a page then: it is one of zeros, as the word that is waited on. */
    @Test
    void whoSleepsIsToldAlsoWhereAnAtomicAccessHasFoundThePageLost() throws Exception {
        Waiting waiting = asleep();
        truncate();
        assertThrows(RegionTruncatedException.class, () -> word.compareAndSet(0, 0));
        assertInstanceOf(RegionTruncatedException.class, waiting.failure());
        assertThrows(RegionTruncatedException.class, () -> word.await(0, NEVER));
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
    void whoAnnouncesAWaitOnAnEventCountIsToldToo() throws Exception {
        truncate();
        assertThrows(RegionTruncatedException.class, count::prepare);
        assertThrows(RegionTruncatedException.class, () -> count.awaitUntil(() -> false, NEVER));
    }

    @Test
    void theRecoveryOfAnEventCountThrowsNothing() throws Exception {
        truncate();
        for (int turn = 0; turn < TURNS; turn++) {
            assertDoesNotThrow(count::recover);
        }
    }

    @Test
    void aSignalOfAnEventCountThrowsNothing() throws Exception {
        truncate();
        for (int turn = 0; turn < TURNS; turn++) {
            assertQuietSignal();
        }
    }

    /** Compiled code hears of the fault when the VM is asked next, not in the access. */
    @Test
    void aSignalThatWasCompiledThrowsNothing() throws Exception {
        for (int use = 0; use < ENOUGH_TO_COMPILE; use++) {
            count.signal();
            count.prepare();
            count.signal();
        }
        truncate();
        for (int turn = 0; turn < TURNS; turn++) {
            assertQuietSignal();
        }
    }

    @Test
    void aSignalForSomebodyOnThePageThatIsLostThrowsNothing() throws Exception {
        Waiting waiting = new Waiting(() -> count.await(count.prepare(), NEVER));
        Deadline.after(FutexContract.LIMIT).await("it sleeps", () -> isAsleep(waiting.thread));
        truncate();
        assertQuietSignal();
        assertInstanceOf(RegionTruncatedException.class, waiting.failure());
    }

    @Test
    void anEventCountOnAPageThatIsStillThereWakes() throws Exception {
        EventCount kept = new EventCount(new EventCountSteps(region, 0, sleep(), () -> {}));
        Waiting waiting = new Waiting(() -> kept.await(kept.prepare(), NEVER));
        Deadline.after(FutexContract.LIMIT).await("it sleeps", () -> isAsleep(waiting.thread));
        kept.signal();
        waiting.assertWoken();
        truncate();
        kept.signal();
        kept.recover();
        assertThrows(RegionTruncatedException.class, kept::prepare);
    }

    /** An old VM may keep the fault of the signal's look for a later call; then it comes to the guard around it. */
    private void assertQuietSignal() {
        AtomicBoolean over = new AtomicBoolean();
        Throwable told = assertThrows(
                RegionTruncatedException.class,
                () -> region.guarded(() -> {
                    count.signal();
                    over.set(true);
                    return over;
                }));
        boolean late = Runtime.version().feature() < FAULTS_COME_IN_TIME && told.getCause() instanceof InternalError;
        if (!late) {
            assertTrue(over.get(), "the signal has thrown " + told);
            assertNull(told.getCause());
        }
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
