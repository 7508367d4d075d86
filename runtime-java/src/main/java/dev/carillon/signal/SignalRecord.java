package dev.carillon.signal;

import dev.carillon.SignalInfo;
import org.jspecify.annotations.Nullable;

/**
 * A signal that came, with its place among all that came.
 *
 * @param sequence grows with each arrival at a service; a record that is given back takes its place by it
 * @param arrived when the loop learnt of it, System.nanoTime()
 * @param isLent whether the signal belongs to another service, which does not wait until there is room here
 * @param copies counts the places that have it, if subscribers have it, too
 */
record SignalRecord(
        SignalInfo info,
        long sequence,
        long arrived,
        boolean isLent,
        @Nullable Copies copies) {
    SignalRecord(SignalInfo info, long sequence, long arrived) {
        this(info, sequence, arrived, false, null);
    }

    /** Of a signal that another service lends. */
    SignalRecord lent() {
        return new SignalRecord(info, sequence, arrived, true, copies);
    }

    int number() {
        return info.signal().number();
    }

    /** One more has it. */
    void onHanded() {
        if (copies != null) {
            copies.left++;
        }
    }

    /** One of the places that have it has no room for it. */
    void onDropped() {
        if (copies != null) {
            copies.left--;
        }
    }

    /** A waiter takes it. */
    void onTaken() {
        if (copies != null) {
            copies.left--;
            copies.taken++;
        }
    }

    /** The waiter that took it could not use it. */
    void onTakenBack() {
        if (copies != null) {
            copies.left++;
            copies.taken--;
        }
    }

    /** Without the others that have it. */
    SignalRecord alone() {
        return copies == null ? this : new SignalRecord(info, sequence, arrived, isLent, null);
    }

    /** With others that get it, too. */
    SignalRecord shared() {
        return new SignalRecord(info, sequence, arrived, isLent, new Copies());
    }

    /** Of one signal that several get. <b>Threading:</b> the loop's. */
    static final class Copies {
        /** Places that have it and did not take it yet. */
        int left;

        /** Places that took it. */
        int taken;

        /** One place will not take it. Returns whether no other has it, nor took it: it must not be lost. */
        boolean giveUp() {
            left--;
            return left == 0 && taken == 0;
        }
    }
}
