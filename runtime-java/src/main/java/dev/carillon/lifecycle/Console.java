package dev.carillon.lifecycle;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Prints to the user at the terminal. A terminal that is stopped (Ctrl-S) blocks who writes to it, so threads of its own do
 * that.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Console {
    private static final Duration LAST_WORDS = Duration.ofMillis(100);

    private final PrintStream out;
    private final boolean isQuiet;

    Console(PrintStream out, boolean isQuiet) {
        this.out = out;
        this.isQuiet = isQuiet;
    }

    /** Prints it some time. */
    void print(String text) {
        begin(text);
    }

    /** Prints it before the process ends, unless that takes too long. */
    void printLast(String text) {
        try {
            begin(text).await(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException atTheEnd) {
            Thread.currentThread().interrupt();
        }
    }

    private CountDownLatch begin(String text) {
        CountDownLatch printed = new CountDownLatch(1);
        if (isQuiet) {
            printed.countDown();
            return printed;
        }
        Thread thread = new Thread(
                () -> {
                    out.println(text);
                    out.flush();
                    printed.countDown();
                },
                "carillon-console");
        thread.setDaemon(true);
        thread.start();
        return printed;
    }
}
