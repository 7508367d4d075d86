package dev.carillon.io;

import dev.carillon.SyscallException;
import dev.carillon.sys.call.Sys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that a service manager has opened for this process, in the way of systemd (LISTEN_PID, LISTEN_FDS,
 * LISTEN_FDNAMES): they listen already when the process starts, so no client is refused while it restarts.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> sd_listen_fds(3), systemd.socket(5).
 */
// r[impl io.activation]
public final class SocketActivation {
    /** They are numbered from here on. */
    private static final int FIRST = 3;

    /** More than a process has of them. */
    private static final int MOST = 1 << 16;

    private static final String UNNAMED = "unknown";

    /** Those that were taken over, as properties of the system: each copy of this class in the process sees the same numbers. */
    private static final String TAKEN = "carillon.activated.";

    private SocketActivation() {}

    /**
     * All of them, in the order of the manager, also those that were taken over; none if this process was not started so, also where the variables are those of
     * another process: its parent has inherited them, or a shell stands between the manager and the VM (use exec there).
     *
     * <p><b>Ownership:</b> each is adopted once, and closed by its handle. Children of this process inherit none.
     *
     * @throws IllegalStateException if the variables contradict each other, or the descriptors are not there
     */
    public static List<ActivatedSocket> sockets() {
        return of(System.getenv(), ProcessHandle.current().pid());
    }

    /** For a process with that environment. */
    static List<ActivatedSocket> of(Map<String, String> environment, long pid) {
        String count = environment.get("LISTEN_FDS");
        String whose = environment.get("LISTEN_PID");
        if (count == null || whose == null || number("LISTEN_PID", whose) != pid) {
            return List.of();
        }
        List<String> names = names(environment.get("LISTEN_FDNAMES"), (int) number("LISTEN_FDS", count));
        List<ActivatedSocket> sockets = new ArrayList<>();
        for (String name : names) {
            ActivatedSocket socket = new ActivatedSocket(name, FIRST + sockets.size());
            keepFromChildren(socket, count);
            sockets.add(socket);
        }
        return List.copyOf(sockets);
    }

    private static long number(String variable, String value) {
        try {
            long number = Long.parseLong(value);
            if (number >= 0 && (variable.equals("LISTEN_PID") || number <= MOST)) {
                return number;
            }
        } catch (NumberFormatException nonsense) {
            throw new IllegalStateException(variable + "=" + value + " is no number", nonsense);
        }
        throw new IllegalStateException(variable + "=" + value + " is no number of descriptors, 0 to " + MOST);
    }

    private static List<String> names(@Nullable String listed, int count) {
        if (listed == null) {
            return Collections.nCopies(count, UNNAMED);
        }
        List<String> names = count == 0 ? List.of() : List.of(listed.split(":", -1));
        if (names.size() != count) {
            throw new IllegalStateException("LISTEN_FDNAMES has " + names.size() + " names, and LISTEN_FDS is " + count
                    + ": both are the manager's, so one of them was changed on the way");
        }
        return names;
    }

    /** Takes a socket over; a second time its number may be a stranger's. */
    static <T> T once(int fd, Supplier<T> adopt) {
        if (System.getProperties().putIfAbsent(TAKEN + fd, "") != null) {
            throw new IllegalStateException(
                    "fd=" + fd
                            + " was taken over before, and its number may mean another socket since that handle was closed; keep the handle");
        }
        boolean isTaken = false;
        try {
            T handle = adopt.get();
            isTaken = true;
            return handle;
        } finally {
            if (!isTaken) {
                System.getProperties().remove(TAKEN + fd);
            }
        }
    }

    private static void keepFromChildren(ActivatedSocket socket, String count) {
        if (System.getProperties().containsKey(TAKEN + socket.fd())) {
            return;
        }
        try {
            Sys.get().descriptors().setCloseOnExec(socket.fd(), true);
        } catch (SyscallException notOpen) {
            throw new IllegalStateException(
                    "LISTEN_FDS=" + count + ", but fd=" + socket.fd()
                            + " is not open: whoever has started this process has closed it, or started another one between",
                    notOpen);
        }
    }
}
