package dev.carillon.signal;

import dev.carillon.SignalInfo;
import org.jspecify.annotations.Nullable;

/**
 * A signal that came, with its place among all that came.
 *
 * @param sequence grows with each arrival at a service; a record that is given back takes its place by it
 * @param arrived when the loop learnt of it, System.nanoTime()
 * @param copies who has it, if subscribers have it, too
 */
record SignalRecord(
        SignalInfo info,
        long sequence,
        long arrived,
        @Nullable Copies copies) {
    SignalRecord(SignalInfo info, long sequence, long arrived) {
        this(info, sequence, arrived, null);
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

    /** One of those who have it has no room for it. */
    void onDropped() {
        if (copies != null) {
            copies.left--;
        }
    }

    /** Somebody takes it. */
    void onTaken() {
        if (copies != null) {
            copies.left--;
            copies.taken++;
        }
    }

    /** Who took it could not use it. */
    void onTakenBack() {
        if (copies != null) {
            copies.left++;
            copies.taken--;
        }
    }

    /** Without the others who have it. */
    SignalRecord alone() {
        return copies == null ? this : new SignalRecord(info, sequence, arrived);
    }

    /** With others who are to get it, too. */
    SignalRecord shared() {
        return new SignalRecord(info, sequence, arrived, new Copies());
    }

    /** Of one signal that several get. <b>Threading:</b> the loop's. */
    static final class Copies {
        /** Those who have it and did not take it yet. */
        int left;

        /** Those who took it. */
        int taken;

        /** Somebody will not take it. Returns whether nobody else has it, nor took it: it is not to be lost. */
        boolean giveUp() {
            left--;
            return left == 0 && taken == 0;
        }
    }
}
