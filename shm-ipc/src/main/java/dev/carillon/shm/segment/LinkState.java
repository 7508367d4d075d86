package dev.carillon.shm.segment;

/** How far a link has come. It only goes forward, and may leave out some; the order here is that order. */
public enum LinkState {
    /** The host keeps it for a guest that has not come yet. */
    RESERVED(1),

    /** The guest is there. */
    ATTACHED(2),

    /** The host leaves, or has left. */
    GOODBYE_HOST(3),

    /** The guest leaves, or has left. */
    GOODBYE_GUEST(4),

    /** It is over: nobody attaches, sends or receives any more. */
    DEAD(5);

    private static final LinkState[] ALL = values();

    private final int code;

    LinkState(int code) {
        this.code = code;
    }

    /** What stands for it in the link word: 1 to 5, since 0 is memory that was never written. */
    int code() {
        return code;
    }

    static boolean isCode(int code) {
        return code >= 1 && code <= ALL.length;
    }

    static LinkState ofCode(int code) {
        return ALL[code - 1];
    }

    /** Whether the next state of a link in this one can be the other. */
    public boolean mayBecome(LinkState next) {
        // Only a guest can say goodbye, and in a reserved link there is none.
        return next.code > code && !(this == RESERVED && next == GOODBYE_GUEST);
    }
}
