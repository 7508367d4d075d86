package dev.carillon.process;

import dev.carillon.sys.Fd;

/** Closes descriptors that were entered, however often. */
final class Closing {
    private Closing() {}

    static void now(Fd fd) {
        fd.close();
        while (true) {
            try {
                fd.release();
            } catch (IllegalStateException nobodyInside) {
                return;
            }
        }
    }
}
