package dev.carillon.shm.doorbell;

/**
 * Waits for one event of an {@link AsyncDoorbell}, without a future: what a coroutine or a protocol is built on. It can
 * be used again and again, one wait at a time.
 *
 * <p><b>Threading:</b> called on the loop thread.
 */
public interface EventReceiver {
    /**
     * Takes the event; may wait for the next one right here.
     *
     * <p>What it throws is for the error handler of the loop, too; {@link #refused} is called with it, and the event is kept
     * for the next one who waits.
     *
     * @return false if it does not want it any more: then the event is kept for the next one who waits
     */
    boolean tryReceive(DoorbellEvent event);

    /** There will be no event: the doorbell was closed, has another reader, or this receiver threw. */
    void refused(RuntimeException why);

    /** Whether it still waits; one that does not can be replaced. */
    default boolean isWaiting() {
        return true;
    }
}
