package dev.carillon.loop;

/**
 * Gets what callbacks of a loop throw.
 *
 * <p><b>Threading:</b> called on the loop thread; for a {@link BlockedCallbackException} on the watchdog's.
 */
@FunctionalInterface
public interface LoopErrorHandler {
    /**
     * A callback has thrown, and the loop goes on; or an error is the end of the loop, which is stopping then
     * ({@link EventLoop#isStopping}): a VirtualMachineError of a callback, except for an OutOfMemoryError and a
     * StackOverflowError, or what has failed in the loop itself. What this method throws is logged, whatever it is, and
     * ends nothing.
     *
     * <p>What a stage of a future throws is not told here, whatever it is: CompletableFuture keeps it for the stages that
     * follow.
     *
     * @param loop whose callback it was
     * @param error what it has thrown
     */
    void onError(EventLoop loop, Throwable error);

    /**
     * Logs it with its stack (SLF4J, level ERROR; standard error where SLF4J has no provider). Where many of one kind come
     * at once, the first are logged and the others counted.
     */
    static LoopErrorHandler logging() {
        return (loop, error) -> LoopLog.report("A callback of {} has failed", loop, error);
    }
}
