package dev.carillon.sys;

import dev.carillon.SyscallException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for free descriptors before the library that makes system calls is loaded. Java gives a class whose
 * initialization has failed no second chance, and a class path no second look at a jar that could not be opened: what is
 * loaded where no descriptor is free fails for good.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.first-call]
final class FreeDescriptors {
    /** The jar of JNA, the library that it unpacks, the folder in which it does, the same library loaded; and as many. */
    private static final int NEEDED = 8;

    private static final String SOURCE = "/dev/null";

    private FreeDescriptors() {}

    /**
     * Returns if there are enough.
     *
     * @throws NoRoomException if there are not
     */
    static void ensure() {
        if (areThere()) {
            return;
        }
        String advice = "to load the library that makes system calls, this process needs " + NEEDED
                + " free descriptors; raise the limit (ulimit -n) or close some, and try again";
        throw new NoRoomException(new SyscallException("open", Errno.EMFILE, Errno.name(Errno.EMFILE), advice));
    }

    private static boolean areThere() {
        List<FileInputStream> opened = new ArrayList<>();
        try {
            while (opened.size() < NEEDED) {
                opened.add(new FileInputStream(SOURCE));
            }
            return true;
        } catch (IOException failure) {
            // To ask whether a file can be read takes no descriptor. Where it cannot, it says nothing about them.
            return !new File(SOURCE).canRead();
        } finally {
            opened.forEach(FreeDescriptors::close);
        }
    }

    private static void close(FileInputStream stream) {
        try {
            stream.close();
        } catch (IOException failure) {
            throw new IllegalStateException(SOURCE + " cannot be closed", failure);
        }
    }
}
