package dev.carillon.shm.doorbell;

/**
 * The two ends of a doorbell.
 *
 * <p><b>Ownership:</b> the code that has the pair closes both ends: that of the guest as soon as the guest has its copy, since
 * its death is noticed only when no process has that end any more.
 *
 * @param host the end that stays
 * @param guest the end that is handed over
 */
public record DoorbellPair(Doorbell host, Doorbell guest) implements AutoCloseable {
    /** Closes both ends. */
    @Override
    public void close() {
        try {
            host.close();
        } finally {
            guest.close();
        }
    }
}
