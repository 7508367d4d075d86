package dev.carillon;

/**
 * A descriptor whose number stays what it is until this is closed, also if its owner closes the descriptor meanwhile: for handing
 * it to a child or over a socket.
 *
 * <pre>{@code
 * try (HeldDescriptor memory = region.hold()) {
 *     Spawn.command("guest").inherit(memory.number(), 3).start();
 * }
 * }</pre>
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the descriptor stays its owner's; the code that holds it closes the hold.
 */
public interface HeldDescriptor extends AutoCloseable {
    /** The number, good until the close of this. */
    int number();

    /** Lets go. A descriptor that its owner has closed meanwhile is closed now. A second call does nothing. */
    @Override
    void close();
}
