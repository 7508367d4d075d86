package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Asks for the end of the program on a thread that may be the last one that keeps the VM alive: another one stays until the
 * shutdown has its own.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ExitRequest {
    private ExitRequest() {}

    /**
     * Has a shutdown begun.
     *
     * @param begin on the loop
     * @throws RejectedExecutionException if the loop is closed
     */
    static void make(EventLoop loop, Runnable begin) {
        CountDownLatch hasBegun = new CountDownLatch(1);
        Thread keeper = new Thread(() -> await(hasBegun), "carillon-exit-asked");
        keeper.setDaemon(false);
        keeper.start();
        try {
            loop.execute(() -> {
                try {
                    begin.run();
                } finally {
                    hasBegun.countDown();
                }
            });
        } catch (RejectedExecutionException closed) {
            hasBegun.countDown();
            throw closed;
        }
    }

    private static void await(CountDownLatch hasBegun) {
        try {
            hasBegun.await(LoopTurns.TAKES_EFFECT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
