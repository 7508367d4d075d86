package dev.carillon.shm;

/**
 * Waits for one change of a link that lives on a loop, without a future: what a coroutine or a protocol is built on.
 *
 * <p><b>Threading:</b> called on the loop thread; where the loop takes nothing any more, on the thread that ends the wait.
 */
public interface LinkWaiter {
    /** The link may have changed: look again, and wait again if what is wanted is not there. May wait right here. */
    void changed();

    /** No change will come: the link was closed or has failed, or its loop ends. */
    void refused(RuntimeException why);

    /** Whether it still waits; one that does not can be replaced before it is forgotten. Any thread. */
    default boolean isWaiting() {
        return true;
    }
}
