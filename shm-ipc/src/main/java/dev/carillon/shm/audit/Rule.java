package dev.carillon.shm.audit;

/** The invariants of a link, in the order of docs/spec/shm.md. */
public enum Rule {
    /** A slot has one state, and an entry that is unread has its slot. */
    SLOTS(1),

    /** The counters of a ring fit together, and so does each unread entry in itself. */
    RING(2),

    /** Nobody has more credit than a window. */
    CREDIT(3),

    /** The header says where everything is, and the words beside it have a meaning. */
    REGIONS(4),

    /** A doorbell has two ends. */
    DOORBELL(5),

    /** Nobody sleeps for what is there. */
    SLEEPERS(6),

    /** A host that was closed has left nothing. */
    LEFTOVERS(7);

    private final int number;

    Rule(int number) {
        this.number = number;
    }

    /** Its number in the specification. */
    public int number() {
        return number;
    }
}
