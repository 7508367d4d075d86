package dev.carillon.io;

/**
 * Is told that an operation is done.
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
