package dev.carillon.loop;

/** When {@link EventLoop#run} comes back after {@link EventLoop#requestStop}. */
public enum RunMode {
    /** When what was under way has been delivered. The loop cancels the rest. */
    STOPPED,

    /**
     * When no operation, timer or task is left. Watches do not count, nor do timers that never come: the loop cancels them.
     */
    DRAINED
}
