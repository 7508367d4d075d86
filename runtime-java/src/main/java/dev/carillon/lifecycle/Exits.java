package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import java.time.Duration;

/**
 * The one door out of the process.
 *
 * <p>{@code System.exit} waits for the hooks of all libraries, so it gets a thread of its own. If they take too long, the
 * loop halts the process with the same code.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl life.frameworks]
final class Exits {
    private final EventLoop loop;
    private final ExitHook hook;
    private final Duration haltAfter;
    private final Reports reports;

    Exits(EventLoop loop, ExitHook hook, Duration haltAfter, Reports reports) {
        this.loop = loop;
        this.hook = hook;
        this.haltAfter = haltAfter;
        this.reports = reports;
    }

    /** Ends the process in good order, and by force if that takes too long. */
    void exit(int code) {
        haltLater(code);
        onItsThread(() -> {
            reports.flush();
            try {
                hook.exit(code);
            } catch (Throwable failure) {
                reports.log().exitFailed(code, failure);
                VmExit.INSTANCE.exit(code);
            }
        });
    }

    /** Ends the process by force if the exit, which has begun, takes too long. */
    void haltLater(int code) {
        loop.schedule(haltAfter, () -> {
            reports.log().exitTakesTooLong(code, haltAfter);
            halt(code);
        });
    }

    /** Whether they leave the process indeed, and not as a test or a program sees fit. */
    boolean endTheProcess() {
        return hook == VmExit.INSTANCE;
    }

    /** Ends the process at once. */
    void halt(int code) {
        reports.flushLastWords();
        try {
            hook.halt(code);
        } catch (Throwable failure) {
            reports.log().exitFailed(code, failure);
            reports.flushLastWords();
            VmExit.INSTANCE.halt(code);
        }
    }

    private static void onItsThread(Runnable action) {
        Thread thread = new Thread(action, "carillon-exit");
        thread.setDaemon(false);
        thread.start();
    }
}
