package dev.carillon.loop;

/**
 * Gets what callbacks of a loop throw.
 *
 * <p><b>Threading:</b> called on the loop thread; for a {@link BlockedCallbackException} on the watchdog's.
 */
@FunctionalInterface
public interface LoopErrorHandler {
    /**
     * A callback has thrown; the loop goes on. What this method throws is logged.
     *
     * @param loop whose callback it was
     * @param error what it has thrown
     */
    void onError(EventLoop loop, Throwable error);

    /** Logs it with its stack (SLF4J, level ERROR). */
    static LoopErrorHandler logging() {
        return (loop, error) -> LoopLog.LOG.error("A callback of {} has failed", loop, error);
    }
}
