package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Architecture;
import dev.carillon.sys.layout.Constants;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A program whose thread waits with a deadline, while signals interrupt its call all the time. */
final class StormyWait {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int PAGE = 4_096;

    /** A wait that the storm stretches would go on as long as the storm does. */
    private static final long STORM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private StormyWait() {}

    public static void main(String[] args) throws Exception {
        Sys sys = Sys.get();
        handleTheSignal(sys);
        try (MemoryRegion region = MemoryRegion.anonymous(PAGE)) {
            FutexWord word = FutexWord.at(region, 0);
            CompletableFuture<Integer> threadId = new CompletableFuture<>();
            CompletableFuture<Long> late = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                threadId.complete(sys.processes().threadId());
                late.complete(wait(word));
                park(late);
            });
            waiter.setDaemon(true);
            waiter.start();
            int tid = threadId.get(10, TimeUnit.SECONDS);
            int signals = 0;
            long end = System.nanoTime() + STORM_NANOS;
            while (!late.isDone() && System.nanoTime() - end < 0) {
                sys.signals().sendToThread(sys.processes().pid(), tid, Constants.SIGURG);
                signals++;
                LockSupport.parkNanos(50_000);
            }
            if (!late.isDone()) {
                System.out.println("the wait does not end");
                System.exit(1);
            }
            System.out.println(signals + " signals, late by " + late.join() / 1_000 + " us");
            if (signals < 100 || late.join() < 0 || late.join() > LATE_NANOS) {
                System.exit(1);
            }
        }
    }

    private static long wait(FutexWord word) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        try {
            WaitResult result = word.await(0, deadline);
            return result == WaitResult.TIMED_OUT ? System.nanoTime() - deadline : Long.MIN_VALUE;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    /** The thread stays, so that no late signal is sent to a thread that has gone. */
    private static void park(Object blocker) {
        while (true) {
            LockSupport.park(blocker);
        }
    }

    /** A handler that only returns, without SA_RESTART: what it interrupts fails with EINTR. */
    private static void handleTheSignal(Sys sys) {
        long code = sys.memory().mapPrivate(PAGE, Constants.PROT_READ | Constants.PROT_WRITE);
        if (Architecture.isX86()) {
            sys.libc().view(code, PAGE).put(0, (byte) 0xc3);
        } else {
            sys.libc().view(code, PAGE).putInt(0, 0xd65f03c0);
        }
        sys.memory().protect(code, PAGE, Constants.PROT_READ | Constants.PROT_EXEC);
        sys.signals().setAction(Constants.SIGURG, new SignalAction(code, 0, 0));
    }
}
