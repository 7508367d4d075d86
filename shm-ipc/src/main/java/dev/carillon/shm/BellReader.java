package dev.carillon.shm;

import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellEvent;

/** Reads all that a bell has to say. <b>Threading:</b> under the lock of its owner. */
final class BellReader {
    /** A peer that rings all the time must not hold up a loop. */
    private static final int MAX_READS = 16;

    private final Doorbell bell;
    private boolean rung;
    private boolean hungUp;
    private boolean leftSome;

    BellReader(Doorbell bell) {
        this.bell = bell;
    }

    void read() {
        rung = false;
        hungUp = false;
        leftSome = true;
        for (int i = 0; i < MAX_READS && leftSome; i++) {
            DoorbellEvent event = bell.poll();
            rung |= event == DoorbellEvent.RUNG;
            hungUp |= event == DoorbellEvent.PEER_GONE;
            leftSome = event == DoorbellEvent.RUNG;
        }
    }

    boolean hasRung() {
        return rung;
    }

    boolean hasHungUp() {
        return hungUp;
    }

    /** Whether it stopped before the bell was empty. */
    boolean hasLeftSome() {
        return leftSome;
    }
}
