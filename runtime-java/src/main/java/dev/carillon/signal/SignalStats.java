package dev.carillon.signal;

/**
 * What a service has done so far; figures of the same moment, more or less.
 *
 * @param arrived records that came, or were injected
 * @param delivered records that waiters got and kept; one that was given back counts when another waiter keeps it
 * @param withoutSender records that stand for signals whose details the kernel refused to queue
 * @param refused signals that the kernel refused to queue for us, as the user's limit was reached
 * @param dropped records of standard signals for which there was no room among the pending ones
 * @param pending records for which there was no wait yet
 * @param waiting waiters that wait
 */
public record SignalStats(
        long arrived, long delivered, long withoutSender, long refused, long dropped, int pending, int waiting) {}
