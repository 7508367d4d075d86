package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words and event counts that another process uses too: a VM, or a program in C. */
final class FutexProcessesIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int INHERITED = 3;
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

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open();

    /** Empty in the end: JUnit keeps one instance of a class whose tests have parameters until all of them are done. */
    private final Deque<MemoryRegion> regions = new ArrayDeque<>();

    @BeforeEach
    void startLoop() {
        loop.start();
        regions.push(MemoryRegion.memfd("turns", Turns.SIZE));
    }

    private MemoryRegion region() {
        return regions.getFirst();
    }

    @AfterEach
    void closeAll() {
        loop.close();
        regions.pop().close();
    }

    /** Which library the other VM uses and how it sleeps, and how this one does. */
    record Pairing(Jdk jdk, String libc, boolean theyPoll, boolean wePoll) {
        WordSleep ours() {
            return wePoll ? new PollingSleep() : new KernelSleep(Sys.get().futexes());
        }

        String[] flags() {
            return theyPoll
                    ? new String[] {"-Dcarillon.libc=" + libc, "-Dcarillon.without=futex"}
                    : new String[] {"-Dcarillon.libc=" + libc};
        }

        @Override
        public String toString() {
            return "JDK " + jdk.feature() + " " + libc + (theyPoll ? ", they poll" : "") + (wePoll ? ", we poll" : "");
        }
    }

    static List<Pairing> pairings() {
        List<Pairing> pairings = new ArrayList<>();
        Jdk newest = Jdk.second().orElse(Jdk.current());
        Stream.of(new Pairing(Jdk.current(), "jna", false, false), new Pairing(newest, "ffm", false, false))
                .filter(pairing -> !pairing.libc.equals("ffm") || pairing.jdk.hasForeignMemory())
                .forEach(pairing -> {
                    pairings.add(pairing);
                    pairings.add(new Pairing(pairing.jdk, pairing.libc, true, false));
                });
        pairings.add(new Pairing(Jdk.current(), "jna", false, true));
        pairings.add(new Pairing(Jdk.current(), "jna", true, true));
        return pairings;
    }

    private Child start(ChildJvm vm) {
        return Spawn.command(vm.command())
                .inherit(region().fd(), INHERITED)
                .stdin(Stdio.nothing())
                .stdout(Stdio.to(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")))
                .start(loop);
    }

    private void assertSuccess(Child child) throws Exception {
        ExitStatus status = child.exit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(status.isSuccess(), () -> status + ": " + read(folder.resolve("out")));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    // r[verify futex.shared] r[verify futex.no-lost-wakeup] r[verify futex.fallback]
    @ParameterizedTest
    @MethodSource("pairings")
    void twoProcessesThatTakeTurnsLoseNoWakeup(Pairing pairing) throws Exception {
        Child child = start(ChildJvm.of(Peer.class).jdk(pairing.jdk).vmFlags(pairing.flags()));
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
        Path program = CProgram.compile(folder, "turns", IN_C);
        Child child = Spawn.command(program.toString(), Integer.toString(ROUNDS))
                .inherit(region().fd(), INHERITED)
                .start(loop);
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
        EventCount count = EventCount.at(region(), Turns.SECOND);
        Deadline.after(LIMIT).await("it sleeps", count::hasSleepers);
        child.send(Signal.SIGKILL);
        child.exit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(count.hasSleepers());
        int key = count.key();
        count.signal();
        assertEquals(key + 1, count.key());
        assertFalse(count.hasSleepers());
        count.signal();
        assertEquals(key + 1, count.key());
    }

    // r[verify futex.deadline]
    @ParameterizedTest
    @ValueSource(strings = {"nothing", "futex"})
    void aStormOfSignalsDoesNotStretchADeadline(String without) throws Exception {
        assertSuccess(start(ChildJvm.of(StormyWait.class).vmFlags("-Dcarillon.without=" + without)));
        System.out.println(
                "without " + without + ": " + read(folder.resolve("out")).strip());
    }

    /** Takes the second side's turns. */
    static final class Peer {
        public static void main(String[] args) throws InterruptedException {
            try (MemoryRegion shared = MemoryRegion.ofDescriptor(INHERITED, Access.READ_WRITE)) {
                new Turns(shared, false, WordSleep.chosen()).take(ROUNDS);
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
