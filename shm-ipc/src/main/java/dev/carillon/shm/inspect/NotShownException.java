package dev.carillon.shm.inspect;

import java.io.Serial;

/** There is nothing to show, for a reason that the user is told. */
final class NotShownException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Exit code: there is no such directory, process, host or link. */
    static final int NOTHING = 4;

    /** Exit code: another user may look. */
    static final int NOT_PERMITTED = 5;

    private final int code;

    private NotShownException(int code, String why) {
        super(why);
        this.code = code;
    }

    static NotShownException nothing(String why) {
        return new NotShownException(NOTHING, why);
    }

    static NotShownException notPermitted(String why) {
        return new NotShownException(NOT_PERMITTED, why);
    }

    /** What the process exits with. */
    int code() {
        return code;
    }
}
