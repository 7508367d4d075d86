package dev.carillon.signal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * HotSpot's attach protocol: jcmd, jstack and agents leave a file {@code .attach_pid<pid>} and send SIGQUIT, upon which
 * the VM opens its door. Such a SIGQUIT is the VM's.
 *
 * <p><b>Threading:</b> any thread; it looks at two file names.
 */
// r[impl signal.vm-tools]
final class VmAttach {
    private static final List<String> FOLDERS = List.of("/proc/self/cwd", "/tmp");

    private VmAttach() {}

    static boolean isRequested(int pid, int uid) {
        for (String folder : FOLDERS) {
            if (isOurs(Path.of(folder, ".attach_pid" + pid), uid)) {
                return true;
            }
        }
        return false;
    }

    /** The VM believes files of its own user and of root only, and so do we. */
    private static boolean isOurs(Path file, int uid) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try {
            Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return owner.equals(0) || owner.equals(uid);
        } catch (IOException goneMeanwhile) {
            return false;
        }
    }
}
