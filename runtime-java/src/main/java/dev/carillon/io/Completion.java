package dev.carillon.io;

/**
 * The callback at the end of an operation.
 *
 * <p><b>Threading:</b> called on the loop thread, never from within the call that started the operation.
 */
@FunctionalInterface
public interface Completion {
    /**
     * The operation is done: {@link Operation#failure} is null if it succeeded. It may be started again right here.
     *
     * @param operation the one that was started
     */
    void completed(Operation operation);
}
