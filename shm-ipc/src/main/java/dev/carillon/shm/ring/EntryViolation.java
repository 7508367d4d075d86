package dev.carillon.shm.ring;

/** The header of a published entry has a value that no correct peer writes. */
public final class EntryViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EntryViolation(String why, EntryHeader header) {
        super("the peer is faulty: " + why + ": " + header);
    }
}
