package dev.carillon.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.LoadedClasses;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kernel that refuses, and a process without descriptors. */
final class ClockTroubleIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify timer.clock-missing]
    @ParameterizedTest
    @ValueSource(strings = {"timerfd", "timerfd_clocks"})
    void aKernelWithoutSuchTimersIsNamedAndOtherTimersWork(String missing) {
        try (ChildProcess child = ChildJvm.of(Refused.class)
                .vmFlags("-Dcarillon.without=" + missing)
                .start()) {
            String why = missing + " is not available: taken away by -Dcarillon.without=" + missing;
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(List.of(why, why, "the loop's own timer runs"), exit.stdout(), exit::toString);
        }
    }

    static final class Refused {
        public static void main(String[] args) throws InterruptedException {
            EventLoop loop = EventLoop.open().start();
            try {
                WallClockTimers.open(loop).close();
            } catch (UnsupportedOperationException refused) {
                System.out.println(refused.getMessage());
            }
            try {
                SuspendAwareTimers.open(loop).close();
            } catch (UnsupportedOperationException refused) {
                System.out.println(refused.getMessage());
            }
            loop.schedule(Duration.ofMillis(1), () -> {
                System.out.println("the loop's own timer runs");
                loop.requestStop();
            });
            loop.awaitTermination(LIMIT);
        }
    }

    // r[verify timer.clock-unwatched]
    @Test
    void withoutADescriptorItIsRefusedAndWithTheLastOneItsTimersRunAllTheSame() {
        // In a container the VM reads limits at any time, with a descriptor that would be one too few or too many.
        try (ChildProcess child =
                ChildJvm.of(Exhausted.class).vmFlags("-XX:-UseContainerSupport").start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(
                    List.of("timerfd_create EMFILE", "ran without being watched", "ran", "0 failures"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    static final class Exhausted {
        public static void main(String[] args) {
            LoadedClasses.of(ClockTroubleIT.class, LibC.class);
            AtomicInteger failures = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .daemon(true)
                            .errorHandler((on, error) -> failures.incrementAndGet())
                            .build())
                    .start();
            Deadline limit = Deadline.after(Duration.ofSeconds(30));
            WallClockTimers first = WallClockTimers.open(loop);
            first.at(Instant.now(), ran::incrementAndGet);
            limit.await("the first one runs", () -> ran.get() == 1);
            first.close();
            Deque<Fd> taken = takeAll();
            String refusal = "none";
            try {
                WallClockTimers.open(loop).close();
            } catch (SyscallException failure) {
                refusal = failure.call() + " " + failure.errnoName();
            }
            taken.pop().close();
            WallClockTimers timers = WallClockTimers.open(loop);
            timers.at(Instant.now().plusMillis(1), ran::incrementAndGet);
            limit.await("it runs without being watched", () -> ran.get() == 2);
            taken.forEach(Fd::close);
            System.out.println(refusal);
            System.out.println("ran without being watched");
            timers.at(Instant.now().plusMillis(1), ran::incrementAndGet);
            limit.await("the next one runs", () -> ran.get() == 3);
            System.out.println("ran");
            System.out.println(failures + " failures");
            loop.close();
        }

        private static Deque<Fd> takeAll() {
            Deque<Fd> all = new ArrayDeque<>();
            try {
                while (true) {
                    all.push(Sys.get().descriptors().duplicateFrom(1, 0));
                }
            } catch (SyscallException full) {
                return all;
            }
        }
    }
}
