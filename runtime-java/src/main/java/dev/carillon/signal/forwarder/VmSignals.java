package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.SIGUSR2;

import dev.carillon.Signal;
import dev.carillon.sys.call.ProcessCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the VM and the JDK themselves use signals for.
 *
 * <p><b>Threading:</b> any thread; stateless.
 */
public final class VmSignals {
    /** By it the JDK takes threads out of blocking calls on sockets. */
    public static final Signal OF_THE_JDK = Signal.of(62);

    private static final List<String> FOLDERS = List.of("/proc/self/cwd", "/tmp");

    private VmSignals() {}

    /** The number of the signal by which HotSpot suspends threads. */
    public static int suspending() {
        return suspending(System.getenv("_JAVA_SR_SIGNUM"));
    }

    /** What HotSpot makes of this variable; see os::Posix in its sources. */
    static int suspending(@Nullable String variable) {
        if (variable == null || !variable.matches("\\d{1,4}")) {
            return SIGUSR2;
        }
        int number = Integer.parseInt(variable);
        return number > Signal.SIGSEGV.number() && number <= Signal.LAST ? number : SIGUSR2;
    }

    /**
     * Whether a SIGQUIT is the VM's, by HotSpot's attach protocol: jcmd, jstack and agents leave a file
     * {@code .attach_pid<pid>} and send SIGQUIT, upon which the VM opens its door. It looks at two file names.
     */
    // r[impl signal.vm-tools]
    static boolean isAttachRequested(ProcessCalls self) {
        for (String folder : FOLDERS) {
            if (isOurs(Path.of(folder, ".attach_pid" + self.pid()), self.uid())) {
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
