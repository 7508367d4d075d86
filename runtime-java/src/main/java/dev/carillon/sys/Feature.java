package dev.carillon.sys;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.layout.Constants;
import dev.carillon.sys.layout.FileLayout.OpenHow;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Calls that a kernel, a container's seccomp profile or glibc may lack, each tried once, on first demand.
 *
 * <p>{@code -Dcarillon.without=openat2,io_uring} makes the named ones unavailable, to get round a broken kernel or to
 * test what comes in their place.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.probe] r[impl sys.shortage]
public enum Feature {
    EPOLL_PWAIT2("Linux 5.11", "timeouts are kept by a timerfd"),
    OPENAT2("Linux 5.6", "files are opened with openat"),
    PIDFD_OPEN(
            "Linux 5.3",
            "the end of a child is looked for every few milliseconds, and no other process can be watched"),
    FUTEX("Linux 2.6", "waiting on memory polls"),
    MEMFD_CREATE("Linux 3.17", "shared memory needs a file in /dev/shm"),
    EVENTFD("Linux 2.6", "there is no native loop"),
    TIMERFD("Linux 2.6", "there is no native loop where epoll_pwait2 is missing too"),
    TIMERFD_CLOCKS("Linux 3.15", "there are no timers by the wall clock, and none that count the time in suspend"),
    IO_URING("Linux 5.19", "loops run on epoll"),
    SPAWN_CLOSE_FROM("glibc 2.34", "a child may inherit descriptors that lack O_CLOEXEC");

    /** The property that takes features away. */
    public static final String WITHOUT = "carillon.without";

    private static final int SCRATCH_BYTES = 256;

    private final String since;
    private final String otherwise;

    Feature(String since, String otherwise) {
        this.since = since;
        this.otherwise = otherwise;
    }

    /** As in {@code epoll_pwait2}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The version that brought it. */
    public String since() {
        return since;
    }

    /** What happens where it is missing. */
    public String otherwise() {
        return otherwise;
    }

    /** Whether this process can use it; asked again where there was only no room to find out. */
    public Availability availability() {
        synchronized (Known.ANSWERS) {
            Availability known = Known.ANSWERS.get(this);
            if (known == null) {
                known = ask();
                if (!isForNow(known)) {
                    Known.ANSWERS.put(this, known);
                }
            }
            return known;
        }
    }

    private static boolean isForNow(Availability answer) {
        Throwable cause = answer.unavailabilityCause();
        Throwable root = cause instanceof UnsupportedOperationException ? cause.getCause() : cause;
        return root instanceof SyscallException failure && Errno.isTransient(failure.errno());
    }

    private Availability ask() {
        return LibC.availability().isAvailable()
                ? probe(LibC.get(), System.getProperty(WITHOUT, ""))
                : Availability.unavailable(label(), noLibC());
    }

    private static Throwable noLibC() {
        Availability libc = LibC.availability();
        return new UnsupportedOperationException(libc.toString(), libc.unavailabilityCause());
    }

    Availability probe(LibC libc, String without) {
        if (List.of(without.split(",")).contains(label())) {
            return Availability.unavailable(
                    label(), new UnsupportedOperationException("taken away by -D" + WITHOUT + "=" + without));
        }
        try (NativeBytes scratch = NativeBytes.allocate(libc, SCRATCH_BYTES)) {
            int result = attempt(libc, scratch.address());
            return result < 0 && !provesThatItIsThere(result)
                    ? Availability.unavailable(label(), Failure.of(label(), result, "it came with " + since))
                    : Availability.available(label());
        }
    }

    /** A kernel that has no room for a descriptor has the call that asked for one; a ring may never find room. */
    private boolean provesThatItIsThere(int result) {
        return Errno.isTransient(-result) && this != IO_URING;
    }

    /** Makes the call with zeroed scratch memory; returns -errno if it is missing. */
    private int attempt(LibC libc, long scratch) {
        return switch (this) {
            // No descriptor: EBADF comes from a kernel that knows the call.
            case EPOLL_PWAIT2 -> expecting(-Errno.EBADF, libc.epoll_pwait2(-1, scratch, 1, scratch + 32, 0));
            // An empty path: ENOENT comes from a kernel that knows the call, before anything is opened.
            case OPENAT2 ->
                expecting(-Errno.ENOENT, libc.openat2(Constants.AT_FDCWD, scratch, scratch + 32, OpenHow.SIZE));
            case PIDFD_OPEN -> opened(libc, libc.pidfd_open(libc.getpid(), 0));
            case FUTEX -> libc.futex(scratch, Constants.FUTEX_WAKE, 1, 0, 0, 0);
            case MEMFD_CREATE -> opened(libc, libc.memfd_create(scratch, Constants.MFD_CLOEXEC));
            case EVENTFD -> opened(libc, libc.eventfd(0, Constants.EFD_CLOEXEC));
            case TIMERFD -> opened(libc, libc.timerfd_create(Constants.CLOCK_MONOTONIC, Constants.TFD_CLOEXEC));
            case TIMERFD_CLOCKS -> timersOfOtherClocks(libc, scratch);
            case IO_URING -> opened(libc, libc.io_uring_setup(1, scratch));
            case SPAWN_CLOSE_FROM -> spawnCloseFrom(libc, scratch);
        };
    }

    private static int timersOfOtherClocks(LibC libc, long scratch) {
        int timer = libc.timerfd_create(Constants.CLOCK_REALTIME, Constants.TFD_CLOEXEC);
        if (timer < 0) {
            return timer;
        }
        int flags = Constants.TFD_TIMER_ABSTIME | Constants.TFD_TIMER_CANCEL_ON_SET;
        int set = closing(libc, timer, libc.timerfd_settime(timer, flags, scratch, 0));
        return set < 0 ? set : opened(libc, libc.timerfd_create(Constants.CLOCK_BOOTTIME, Constants.TFD_CLOEXEC));
    }

    private static int spawnCloseFrom(LibC libc, long scratch) {
        int begun = libc.posix_spawn_file_actions_init(scratch);
        if (begun < 0) {
            return begun;
        }
        int result = libc.posix_spawn_file_actions_addclosefrom_np(scratch, 3);
        libc.posix_spawn_file_actions_destroy(scratch);
        return result;
    }

    private static int opened(LibC libc, int fd) {
        return fd < 0 ? fd : closing(libc, fd, 0);
    }

    private static int closing(LibC libc, int fd, int result) {
        libc.close(fd);
        return result;
    }

    private static int expecting(int expected, int result) {
        return result == expected ? 0 : result;
    }

    private static final class Known {
        static final Map<Feature, Availability> ANSWERS = new EnumMap<>(Feature.class);
    }
}
