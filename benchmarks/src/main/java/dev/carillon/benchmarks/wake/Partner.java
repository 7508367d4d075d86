package dev.carillon.benchmarks.wake;

import dev.carillon.benchmarks.worker.Stage;
import java.util.concurrent.TimeUnit;

/** The other side of a round trip: a thread that answers until the work is closed. */
final class Partner {
    private final Thread thread;
    private volatile boolean stopped;

    /** Answers one ping. */
    @FunctionalInterface
    interface Answer {
        void once() throws Exception;
    }

    private Partner(Stage stage, Answer answer) {
        thread = new Thread(
                () -> {
                    stage.pinSecond();
                    try {
                        while (!stopped) {
                            answer.once();
                        }
                    } catch (Exception e) {
                        throw new IllegalStateException("the partner failed", e);
                    }
                },
                "partner");
        thread.setDaemon(true);
    }

    static Partner start(Stage stage, Answer answer) {
        Partner partner = new Partner(stage, answer);
        partner.thread.start();
        return partner;
    }

    /** Ends after the next ping. */
    void stopAfterNext() {
        stopped = true;
    }

    void join() {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
