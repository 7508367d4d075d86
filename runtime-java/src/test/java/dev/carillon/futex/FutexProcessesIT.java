package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words and event counts that another process uses too: a VM, or a program in C. */
final class FutexProcessesIT extends AcrossProcesses {
    private static final int ROUNDS = 1_000;

    private static final String IN_C = """
            #include <linux/futex.h>
            #include <stdatomic.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            #include <limits.h>
            struct event { _Atomic unsigned count; _Atomic unsigned sleep; };
            static void await(struct event *e, _Atomic unsigned *number, unsigned turn) {
                while (atomic_load(number) != turn) {
                    unsigned key = atomic_load(&e->count);
                    atomic_store(&e->sleep, 1);
                    atomic_thread_fence(memory_order_seq_cst);
                    if (atomic_load(number) == turn) {
                        return;
                    }
                    syscall(SYS_futex, &e->count, FUTEX_WAIT, key, NULL, NULL, 0);
                }
            }
            static void signal_all(struct event *e) {
                atomic_thread_fence(memory_order_seq_cst);
                if (atomic_load(&e->sleep) != 0 && atomic_exchange(&e->sleep, 0) != 0) {
                    atomic_fetch_add(&e->count, 1);
                    syscall(SYS_futex, &e->count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
                }
            }
            int main(int argc, char **argv) {
                char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
                struct event *first = (struct event *) (memory + 64);
                struct event *second = (struct event *) (memory + 128);
                _Atomic unsigned *number = (_Atomic unsigned *) (memory + 192);
                for (unsigned turn = 1; turn < 2 * (unsigned) atoi(argv[1]); turn += 2) {
                    await(second, number, turn);
                    atomic_store(number, turn + 1);
                    signal_all(first);
                }
                return 0;
            }
            """;

    // r[verify futex.shared] r[verify futex.no-lost-wakeup] r[verify futex.fallback]
    @ParameterizedTest
    @MethodSource("pairings")
    void twoProcessesThatTakeTurnsLoseNoWakeup(Pairing pairing) throws Exception {
        Child child = start(pairing.vm(Peer.class));
        Turns turns = new Turns(region(), true, pairing.ours());
        Deadline.call(LIMIT, () -> {
            turns.take(ROUNDS);
            return ROUNDS;
        });
        assertSuccess(child);
    }

    // r[verify futex.shared] r[verify futex.no-lost-wakeup]
    @Test
    void aProgramInCTakesTurnsWithUs() throws Exception {
        Child child = startInC("turns", IN_C, Integer.toString(ROUNDS));
        Turns turns = new Turns(region(), true, new KernelSleep(Sys.get().futexes()));
        Deadline.call(LIMIT, () -> {
            turns.take(ROUNDS);
            return ROUNDS;
        });
        assertSuccess(child);
    }

    // r[verify futex.no-lost-wakeup]
    @Test
    void aSleeperThatWasKilledCostsOneSystemCallAndNoMore() throws Exception {
        Child child = start(ChildJvm.of(Sleeping.class));
        EventCountSteps steps = new EventCountSteps(region(), Turns.SECOND, KernelSleep.orPolling(), () -> {});
        EventCount count = new EventCount(steps);
        Deadline.after(LIMIT).await("it sleeps", steps::hasSleepers);
        child.send(Signal.SIGKILL);
        child.exit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(steps.hasSleepers());
        int key = steps.key();
        count.signal();
        assertEquals(key + 1, steps.key());
        assertFalse(steps.hasSleepers());
        count.signal();
        assertEquals(key + 1, steps.key());
    }

    // r[verify futex.deadline]
    @ParameterizedTest
    @ValueSource(strings = {"nothing", "futex"})
    void aStormOfSignalsDoesNotStretchADeadline(String without) throws Exception {
        assertSuccess(start(ChildJvm.of(StormyWait.class).vmFlags("-Dcarillon.without=" + without)));
        System.out.println("without " + without + ": " + output().strip());
    }

    /** Takes the second side's turns. */
    static final class Peer {
        public static void main(String[] args) throws InterruptedException {
            try (MemoryRegion shared = MemoryRegion.ofDescriptor(INHERITED, Access.READ_WRITE)) {
                new Turns(shared, false, KernelSleep.orPolling()).take(ROUNDS);
            }
        }
    }

    /** Sleeps until it is killed. */
    static final class Sleeping {
        public static void main(String[] args) throws InterruptedException {
            try (MemoryRegion shared = MemoryRegion.ofDescriptor(INHERITED, Access.READ_WRITE)) {
                EventCount.at(shared, Turns.SECOND).awaitUntil(() -> false, Long.MAX_VALUE);
            }
        }
    }
}
