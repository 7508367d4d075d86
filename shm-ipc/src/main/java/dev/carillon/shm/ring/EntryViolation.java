package dev.carillon.shm.ring;

import dev.carillon.shm.fault.PeerViolation;

/** The header of a published entry has a value that no correct peer writes. */
public final class EntryViolation extends PeerViolation {
    private static final long serialVersionUID = 1L;

    EntryViolation(String why, EntryHeader header) {
        super("ENTRY", "the peer is faulty: " + why + ": " + header);
    }
}
