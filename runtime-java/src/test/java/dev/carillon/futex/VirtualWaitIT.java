package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Virtual threads that wait on memory, on a JDK that has them. */
final class VirtualWaitIT {
    // r[verify futex.virtual]
    @Test
    void aThousandVirtualThreadsWaitAndOthersRun() {
        Optional<Jdk> jdk = Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .filter(one -> one.feature() >= 21)
                .findFirst();
        assumeTrue(jdk.isPresent(), "needs a JDK with virtual threads, from 21 on");
        ChildExit exit = ChildJvm.of(Thousand.class).jdk(jdk.orElseThrow()).run(FutexContract.LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), exit::toString);
    }

    static final class Thousand {
        private static final int WAITERS = 1_000;
        private static final int READY = 64;

        public static void main(String[] args) throws Exception {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            CountDownLatch begun = new CountDownLatch(WAITERS);
            CountDownLatch done = new CountDownLatch(WAITERS);
            try (MemoryRegion region = MemoryRegion.memfd("thousand", 4_096)) {
                EventCount event = EventCount.at(region, 0);
                FutexWord ready = FutexWord.at(region, READY);
                for (int i = 0; i < WAITERS; i++) {
                    int number = i;
                    start.invoke(null, (Runnable) () -> {
                        begun.countDown();
                        try {
                            if (number % 2 == 0) {
                                event.awaitUntil(() -> ready.getAcquire() == 1, Long.MAX_VALUE);
                            } else {
                                while (ready.getAcquire() == 0) {
                                    ready.await(0, Long.MAX_VALUE);
                                }
                            }
                        } catch (InterruptedException e) {
                            throw new IllegalStateException("nobody interrupts it", e);
                        }
                        done.countDown();
                    });
                }
                require(begun.await(20, TimeUnit.SECONDS), "those who wait stop others: " + begun.getCount());
                CountDownLatch others = new CountDownLatch(1_000);
                for (int i = 0; i < 1_000; i++) {
                    start.invoke(null, (Runnable) others::countDown);
                }
                require(others.await(20, TimeUnit.SECONDS), "others do not run: " + others.getCount());
                require(done.getCount() == WAITERS, "somebody did not wait");
                ready.putRelease(1);
                event.signal();
                ready.wakeAll();
                require(done.await(20, TimeUnit.SECONDS), "not woken: " + done.getCount());
            }
        }

        private static void require(boolean fact, String otherwise) {
            if (!fact) {
                System.out.println(otherwise);
                System.exit(1);
            }
        }
    }
}
