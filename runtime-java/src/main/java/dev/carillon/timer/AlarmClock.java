package dev.carillon.timer;

/**
 * A clock with one alarm, behind a descriptor that is readable when the alarm rings.
 *
 * <p><b>Threading:</b> under the lock of its owner.
 */
interface AlarmClock extends AutoCloseable {
    /** The descriptor; it stays this object's. */
    int number();

    /** The time, in nanoseconds. */
    long now();

    /** Sets the alarm, to be rung at once if the time is past; returns whether the clock was set since the last question. */
    boolean setAlarm(long timeNanos);

    /** Takes a ring away, if there is one; returns whether the clock was set since the last question. */
    boolean takeRing();

    @Override
    void close();
}
