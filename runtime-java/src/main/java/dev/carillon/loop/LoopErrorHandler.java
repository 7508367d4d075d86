package dev.carillon.loop;

/**
 * Gets what callbacks of a loop throw.
 *
 * <p><b>Threading:</b> called on the loop thread; for a {@link BlockedCallbackException} on the watchdog's.
 */
@FunctionalInterface
public interface LoopErrorHandler {
    /**
     * A callback has thrown, and the loop goes on. Or an error ends the loop, which is stopping then ({@link
     * EventLoop#isStopping}): a VirtualMachineError of a callback, except for an OutOfMemoryError and a StackOverflowError,
     * or an error in the loop itself. The loop logs what this method throws, and goes on.
     *
     * <p>What a stage of a future throws does not come here, whatever it is: CompletableFuture keeps it for the stages that
     * follow.
     *
     * @param loop whose callback it was
     * @param error what the callback has thrown
     */
    void onError(EventLoop loop, Throwable error);

    /**
     * Logs the error with its stack (SLF4J, level ERROR; standard error where SLF4J has no provider). Where many of one kind
     * come at once, it logs the first and counts the others.
     */
    static LoopErrorHandler logging() {
        return (loop, error) -> LoopLog.report("A callback of {} has failed", loop, error);
    }
}
