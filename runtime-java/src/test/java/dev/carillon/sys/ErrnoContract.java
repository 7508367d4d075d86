package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.LeakExempt;
import dev.carillon.test.LeakKind;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

// r[verify sys.errno-thread]
@LeakExempt(kinds = LeakKind.THREAD, why = "the VM keeps the threads that carry virtual ones")
abstract class ErrnoContract {
    private static final int THREADS = 32;
    private static final int ROUNDS = 500;

    abstract LibC libc();

    @Test
    void threadsThatFailDifferentlyEachSeeTheirOwnError() throws Exception {
        assertEachSeesItsOwn(task -> {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        });
    }

    @Test
    void virtualThreadsThatFailDifferentlyEachSeeTheirOwnError() throws Exception {
        int jdk = Runtime.version().feature();
        Assumptions.assumeTrue(jdk >= 21, () -> "virtual threads need JDK 21 or later, this is JDK " + jdk);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        assertEachSeesItsOwn(task -> (Thread) start.invoke(null, task));
    }

    private void assertEachSeesItsOwn(Starter starter) throws Exception {
        LibC libc = libc();
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            boolean odd = i % 2 == 1;
            threads.add(starter.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    int result = odd ? libc.close(-1) : libc.eventfd(0, -1);
                    if (result != (odd ? -Errno.EBADF : -Errno.EINVAL)) {
                        wrong.incrementAndGet();
                    }
                    LockSupport.parkNanos(1);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        assertEquals(0, wrong.get());
    }

    /** Starts a thread of some kind. */
    private interface Starter {
        Thread start(Runnable task) throws ReflectiveOperationException;
    }
}
