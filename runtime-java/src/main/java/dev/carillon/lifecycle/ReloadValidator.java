package dev.carillon.lifecycle;

/**
 * Looks whether a new configuration could be used, before the process ends to be started again with it.
 *
 * <p><b>Threading:</b> called on a thread of its own, and never twice at the same time.
 */
@FunctionalInterface
public interface ReloadValidator {
    /**
     * Returns if the configuration is good.
     *
     * @throws Exception if it is not; the message says why, for the log
     */
    void validate() throws Exception;
}
