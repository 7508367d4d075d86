package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a wait in one process tells when another one changes, wakes, or does nothing. */
final class FutexResultsIT extends AcrossProcesses {
    private static final int CHANGED = 0;
    private static final int WOKEN = 64;
    private static final int UNTOUCHED = 128;
    private static final int ANSWER = 192;
    private static final long NEVER = Long.MAX_VALUE;

    /** Waits as our own side does, and wakes us in the end without changing anything. */
    private static final String IN_C = """
            #include <errno.h>
            #include <linux/futex.h>
            #include <stdio.h>
            #include <sys/mman.h>
            #include <sys/syscall.h>
            #include <time.h>
            #include <unistd.h>
            static const char *wait_on(char *word, unsigned expected, const struct timespec *deadline) {
                long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, deadline, NULL, FUTEX_BITSET_MATCH_ANY);
                return result == 0 ? "WOKEN" : errno == EAGAIN ? "VALUE_CHANGED" : errno == ETIMEDOUT ? "TIMED_OUT" : "?";
            }
            int main(void) {
                char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
                printf("changed %s\\n", wait_on(memory, 4, NULL));
                printf("woken %s\\n", wait_on(memory + 64, 0, NULL));
                struct timespec soon;
                clock_gettime(CLOCK_MONOTONIC, &soon);
                soon.tv_sec += 1;
                printf("untouched %s\\n", wait_on(memory + 128, 0, &soon));
                while (syscall(SYS_futex, memory + 192, FUTEX_WAKE, 1, NULL, NULL, 0) == 0) {
                    usleep(100);
                }
                return 0;
            }
            """;

    // r[verify futex.shared] r[verify futex.fallback] r[verify futex.deadline] r[verify futex.interrupt]
    @ParameterizedTest
    @MethodSource("pairings")
    void anotherVmIsToldWhatHappened(Pairing pairing) throws Exception {
        FutexWord woken = word(WOKEN, pairing.ours());
        FutexWord answer = word(ANSWER, pairing.ours());
        word(CHANGED, pairing.ours()).put(5);
        Child child = start(pairing.vm(Waiter.class));
        if (pairing.theyPoll()) {
            woken.putRelease(1);
            woken.wakeAll();
        } else {
            // Without any change: only a wake can have done it.
            Deadline.after(LIMIT).await("the child sleeps and is woken", woken::wakeOne);
        }
        assertEquals(WaitResult.WOKEN, Deadline.call(LIMIT, () -> wokenOrChanged(answer)));
        assertSuccess(child);
        List<String> lines = output().lines().toList();
        assertEquals(List.of("changed VALUE_CHANGED", "woken WOKEN"), lines.subList(0, 2));
        assertLate(pairing, numbersOf(lines.get(2), "late"));
        assertEquals("interrupted", lines.get(3));
    }

    private FutexWord word(int offset, WordSleep sleep) {
        return new FutexWord(region(), offset, sleep);
    }

    /** The answer may be there before we look: then the child was fast, and it counts as well. */
    private static WaitResult wokenOrChanged(FutexWord answer) throws InterruptedException {
        WaitResult result = answer.await(0, System.nanoTime() + LIMIT.toNanos());
        return result == WaitResult.VALUE_CHANGED ? WaitResult.WOKEN : result;
    }

    private static long[] numbersOf(String line, String name) {
        String[] words = line.split(" ", -1);
        assertEquals(name, words[0], line);
        return Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray();
    }

    private static void assertLate(Pairing pairing, long[] numbers) {
        Lateness late = new Lateness(numbers[0], numbers[1], numbers[2]);
        System.out.println(pairing + ": " + late);
        assertTrue(late.earliest() >= 0, late::toString);
        assertTrue(late.isSmall(), late::toString);
    }

    // r[verify futex.shared]
    @Test
    void aProgramInCIsToldTheSameAndWakesUs() throws Exception {
        WordSleep kernel = new KernelSleep(Sys.get().futexes());
        FutexWord answer = word(ANSWER, kernel);
        word(CHANGED, kernel).put(5);
        Child child = startInC("waiter", IN_C);
        Deadline.after(LIMIT).await("the program sleeps and is woken", word(WOKEN, kernel)::wakeOne);
        assertEquals(WaitResult.WOKEN, answer.await(0, System.nanoTime() + LIMIT.toNanos()));
        assertEquals(0, answer.get());
        assertSuccess(child);
        assertEquals(
                List.of("changed VALUE_CHANGED", "woken WOKEN", "untouched TIMED_OUT"),
                output().lines().toList());
    }

    /** The other VM. */
    static final class Waiter {
        public static void main(String[] args) throws Exception {
            try (MemoryRegion shared = MemoryRegion.ofDescriptor(INHERITED, Access.READ_WRITE)) {
                System.out.println("changed " + FutexWord.at(shared, CHANGED).await(4, NEVER));
                FutexWord woken = FutexWord.at(shared, WOKEN);
                WaitResult result = woken.await(0, NEVER);
                // One that begins to poll after the change does not see it happen.
                System.out.println("woken " + (woken.get() == 1 ? WaitResult.WOKEN : result));
                FutexWord untouched = FutexWord.at(shared, UNTOUCHED);
                printLateness(untouched);
                printInterruption(untouched);
                FutexWord answer = FutexWord.at(shared, ANSWER);
                answer.putRelease(1);
                answer.wakeAll();
            }
        }

        private static void printLateness(FutexWord word) throws InterruptedException {
            Lateness late = Lateness.of(deadline -> assertEquals(WaitResult.TIMED_OUT, word.await(0, deadline)));
            System.out.println("late " + late.earliest() + " " + late.median() + " " + late.medianOfPauses());
        }

        private static void printInterruption(FutexWord word) throws Exception {
            CompletableFuture<String> ended = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    ended.completeExceptionally(new AssertionError("it ended with " + word.await(0, NEVER)));
                } catch (InterruptedException interrupt) {
                    ended.complete("interrupted");
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            while (!isAsleep(waiter)) {
                LockSupport.parkNanos(100_000);
            }
            waiter.interrupt();
            System.out.println(ended.get(30, TimeUnit.SECONDS));
        }

        private static boolean isAsleep(Thread thread) {
            return thread.getState() == Thread.State.TIMED_WAITING
                    || Arrays.stream(thread.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().equals("futex"));
        }
    }
}
