package dev.carillon.shm.doorbell;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.SignalService;
import dev.carillon.sys.call.Sys;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A program whose thread waits for a bell with a deadline, while signals interrupt its call all the time. */
final class StormyBell {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int FEW = 100;

    /** A wait that the storm stretches would go on as long as the storm does. */
    private static final long STORM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private StormyBell() {}

    public static void main(String[] args) throws Exception {
        Sys sys = Sys.get();
        // A handler for the signal; poll(2) fails with EINTR after any.
        try (EventLoop loop = EventLoop.open().start();
                SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGURG));
                DoorbellPair pair = Doorbell.pair()) {
            CompletableFuture<Integer> threadId = new CompletableFuture<>();
            CompletableFuture<Long> late = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                threadId.complete(sys.processes().threadId());
                late.complete(lateness(pair.host()));
                park(late);
            });
            waiter.setDaemon(true);
            waiter.start();
            int tid = threadId.get(10, TimeUnit.SECONDS);
            int signals = 0;
            long end = System.nanoTime() + STORM_NANOS;
            while (!late.isDone() && System.nanoTime() - end < 0) {
                sys.signals().sendToThread(sys.processes().pid(), tid, Signal.SIGURG.number());
                signals++;
                LockSupport.parkNanos(50_000);
            }
            if (!late.isDone()) {
                System.out.println("the wait does not end");
                System.exit(1);
            }
            System.out.println(
                    service.attached() + ": " + signals + " signals, late by " + late.join() / 1_000 + " us");
            if (signals < FEW || late.join() < 0 || late.join() > LATE_NANOS) {
                System.exit(1);
            }
        }
    }

    private static long lateness(Doorbell bell) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        try {
            DoorbellEvent event = bell.awaitUntil(deadline);
            return event == DoorbellEvent.TIMEOUT ? System.nanoTime() - deadline : Long.MIN_VALUE;
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
}
