package dev.carillon.process;

import dev.carillon.ExitStatus;
import org.jspecify.annotations.Nullable;

/**
 * Gets to know how a child ended.
 *
 * <p><b>Threading:</b> called on the loop thread; if the child had ended before, by the caller of {@link Child#onExit}.
 */
@FunctionalInterface
public interface ExitCallback {
    /**
     * The child has ended; called once.
     *
     * @param status how it ended, or null if that cannot be known
     * @param failure why it cannot, or null
     */
    void ended(@Nullable ExitStatus status, @Nullable Throwable failure);
}
