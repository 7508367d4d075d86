package dev.carillon.sys;

import dev.carillon.SyscallException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Looks whether threads can be made before JNA is loaded. JNA starts a process and a thread of its own while its classes
 * are initialized, and the VM initializes no class twice.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.first-call]
final class FreeThreads {
    /** The process that JNA starts, the thread that waits for it, and that of its cleaner; and one more. */
    private static final int NEEDED = 4;

    private static final int STACK = 128 << 10;

    private FreeThreads() {}

    /**
     * Returns if there is room for as many as JNA needs.
     *
     * @throws NoRoomException if there is not
     */
    static void ensure() {
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> started = new ArrayList<>(NEEDED);
        try {
            for (int i = 0; i < NEEDED; i++) {
                Thread thread = new Thread(null, () -> await(end), "carillon-first-call", STACK, false);
                thread.setDaemon(true);
                thread.start();
                started.add(thread);
            }
        } catch (OutOfMemoryError none) {
            String advice = "to load JNA, this process needs room for " + NEEDED + " threads (" + none.getMessage()
                    + "); raise the limit (ulimit -u, pids.max) or the memory, and try again";
            throw new NoRoomException(new SyscallException("clone", Errno.EAGAIN, Errno.name(Errno.EAGAIN), advice));
        } finally {
            end.countDown();
            started.forEach(FreeThreads::join);
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException ends) {
            // Only a program that ends all threads there are interrupts this one.
        }
    }

    /** What is interrupted stays so. */
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
