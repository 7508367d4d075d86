package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Virtual threads that wait for doorbells, on a JDK that has them. */
final class VirtualBellIT {
    // r[verify shm.doorbell.virtual]
    @Test
    void manyVirtualThreadsWaitAndOthersRun() {
        runToSuccess(Many.class, withVirtualThreads());
    }

    // r[verify shm.doorbell.loop-end]
    @Test
    void theEndOfTheSharedLoopKeepsNoVirtualThreadFromItsRing() {
        runToSuccess(Moved.class, withVirtualThreads());
    }

    /** Then it has not failed, and no other loop takes its place. */
    // r[verify shm.doorbell.loop-end]
    @Test
    void oneThatIsParkedHearsItsRingWhileTheVmExits() {
        runToSuccess(Exiting.class, Jdk.current());
        runToSuccess(Exiting.class, withVirtualThreads());
    }

    private static Jdk withVirtualThreads() {
        Optional<Jdk> jdk = Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .filter(one -> one.feature() >= 21)
                .findFirst();
        assumeTrue(jdk.isPresent(), "needs a JDK with virtual threads, from 21 on");
        return jdk.orElseThrow();
    }

    private static void runToSuccess(Class<?> main, Jdk jdk) {
        ChildExit exit = ChildJvm.of(main).jdk(jdk).run(Bells.LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), exit::toString);
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            System.out.println(otherwise);
            Runtime.getRuntime().halt(1);
        }
    }

    static final class Many {
        private static final int RLIMIT_NOFILE = 7;

        /** Each takes three descriptors, and the VM some. */
        private static final int WAITERS = (int)
                Math.min(1_000, (Sys.get().processes().limit(RLIMIT_NOFILE).soft() - 200) / 3);

        public static void main(String[] args) throws Exception {
            System.out.println(WAITERS + " wait");
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            CountDownLatch begun = new CountDownLatch(WAITERS);
            CountDownLatch rung = new CountDownLatch(WAITERS);
            CountDownLatch closed = new CountDownLatch(WAITERS);
            List<DoorbellPair> pairs = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                DoorbellPair pair = Doorbell.pair();
                pairs.add(pair);
                start.invoke(null, (Runnable) () -> {
                    begun.countDown();
                    try {
                        if (pair.guest().await() == DoorbellEvent.RUNG) {
                            rung.countDown();
                        }
                        pair.guest().await();
                    } catch (ClosedException expected) {
                        closed.countDown();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("nobody interrupts it", e);
                    }
                });
            }
            require(begun.await(20, TimeUnit.SECONDS), "those who wait stop others: " + begun.getCount());
            CountDownLatch others = new CountDownLatch(1_000);
            for (int i = 0; i < 1_000; i++) {
                start.invoke(null, (Runnable) others::countDown);
            }
            require(others.await(20, TimeUnit.SECONDS), "others do not run: " + others.getCount());
            pairs.forEach(pair -> pair.host().ring());
            require(rung.await(20, TimeUnit.SECONDS), "not woken: " + rung.getCount());
            pairs.forEach(pair -> pair.guest().close());
            require(closed.await(20, TimeUnit.SECONDS), "not closed: " + closed.getCount());
            System.exit(0); // the shared loop is no reason to stay, nor are these
        }
    }

    static final class Moved {
        private static final int WAITERS = 100;

        public static void main(String[] args) throws Exception {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            List<DoorbellPair> pairs = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                pairs.add(Doorbell.pair());
            }
            for (int round = 0; round < 3; round++) {
                CountDownLatch begun = new CountDownLatch(WAITERS);
                CountDownLatch rung = new CountDownLatch(WAITERS);
                for (DoorbellPair pair : pairs) {
                    start.invoke(null, (Runnable) () -> {
                        begun.countDown();
                        try {
                            if (pair.guest().await() == DoorbellEvent.RUNG) {
                                rung.countDown();
                            }
                        } catch (InterruptedException e) {
                            throw new IllegalStateException("nobody interrupts it", e);
                        }
                    });
                }
                require(begun.await(20, TimeUnit.SECONDS), "they did not begin: " + begun.getCount());
                EventLoop shared = EventLoop.shared();
                shared.execute(() -> {
                    throw new InternalError("planted");
                });
                require(shared.awaitTermination(Bells.LIMIT), "the loop did not end");
                pairs.forEach(pair -> pair.host().ring());
                require(rung.await(20, TimeUnit.SECONDS), "not woken: " + rung.getCount() + ", round " + round);
            }
            System.exit(0);
        }
    }

    static final class Exiting {
        public static void main(String[] args) throws Exception {
            BellEnd[] ends = BellEnd.pair();
            FutureTask<DoorbellEvent> waiting = new FutureTask<>(() -> new ParkedWait(ends[1]).until(Long.MAX_VALUE));
            Thread thread = new Thread(waiting, "parked");
            thread.setDaemon(true);
            thread.start();
            Deadline.after(Bells.LIMIT)
                    .await("it is parked", () -> LockSupport.getBlocker(thread) instanceof ParkedWait);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                Deadline.after(Bells.LIMIT).await("the shared loop has ended", EventLoop.shared()::isTerminated);
                ends[0].ring();
                try {
                    require(waiting.get(20, TimeUnit.SECONDS) == DoorbellEvent.RUNG, "no signal");
                } catch (InterruptedException | ExecutionException | TimeoutException e) {
                    require(false, "it was not told: " + e);
                }
            }));
            System.exit(0);
        }
    }
}
