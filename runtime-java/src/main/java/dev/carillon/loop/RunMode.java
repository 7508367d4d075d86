package dev.carillon.loop;

/** When {@link EventLoop#run} comes back after {@link EventLoop#requestStop}. */
public enum RunMode {
    /** When what was under way has been delivered; the rest is cancelled. */
    STOPPED,

    /** When no operation, timer or task is left. Watches do not count, nor timers that never come, which are cancelled. */
    DRAINED
}
