package dev.carillon.io;

import dev.carillon.sys.call.FileStatus;
import dev.carillon.sys.call.Sys;
import java.util.Properties;

/**
 * Numbers that handles have adopted, as properties of the system: two handles that close one number would close somebody else's.
 * Numbers belong to the process, which may have several copies of this class, each by a class loader of its own.
 *
 * <p>A number is remembered with the file that it meant. Where others have closed it, it means another one by now, and is free.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl io.adopt]
final class AdoptedNumbers {
    private static final String PREFIX = "carillon.adopted.";
    private static final String MARK = " of file ";

    private AdoptedNumbers() {}

    /**
     * Takes a number for a handle.
     *
     * @throws IllegalStateException if another handle has it
     */
    static void take(int number, String what) {
        Properties all = System.getProperties();
        FileStatus status = Sys.get().files().status(number);
        String file = MARK + status.device() + ":" + status.inode();
        Object other = all.putIfAbsent(PREFIX + number, what + file);
        if (other instanceof String held && !held.endsWith(file) && all.replace(PREFIX + number, held, what + file)) {
            return;
        }
        if (other != null) {
            String known = other.toString();
            throw new IllegalStateException("fd=" + number + " was adopted before, as "
                    + known.substring(0, Math.max(0, known.indexOf(MARK)))
                    + ", and is that handle's until its close; adopt each descriptor once");
        }
    }

    /** The handle has it no more. */
    static void forget(int number) {
        System.getProperties().remove(PREFIX + number);
    }
}
