package dev.carillon.process;

import dev.carillon.sys.Fd;

/**
 * An open pidfd, whose number is in use until the close.
 *
 * <p><b>Threading:</b> under the lock of its owner.
 */
final class Pidfd {
    private final Fd fd;
    private final int number;
    private boolean released;

    private Pidfd(Fd fd) {
        this.fd = fd;
        number = fd.acquire();
    }

    /** Takes over a descriptor that was opened just now. If there is no memory for this, it is closed. */
    static Pidfd opened(Fd fd) {
        boolean owned = false;
        try {
            Pidfd pidfd = new Pidfd(fd);
            owned = true;
            return pidfd;
        } finally {
            if (!owned) {
                fd.close();
            }
        }
    }

    int number() {
        return number;
    }

    /** Closes it. Where memory or stack is short for that, a second call makes up for it. */
    void close() {
        fd.close();
        if (!released) {
            released = true;
            fd.release();
        }
    }
}
