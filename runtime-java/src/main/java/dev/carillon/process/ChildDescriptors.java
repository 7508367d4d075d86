package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.O_APPEND;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.O_TRUNC;
import static dev.carillon.sys.layout.Constants.O_WRONLY;
import static dev.carillon.sys.layout.Constants.RLIMIT_NOFILE;

import dev.carillon.SyscallException;
import dev.carillon.io.Descriptor;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.SpawnPlan;
import dev.carillon.sys.call.Sys;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of one child that is being started.
 *
 * <p>What the child is to have is copied first, to numbers above all that the child will know, so that no step in the
 * child overwrites what a later one needs. The copies, and whatever else is open here, are closed in the child.
 *
 * <p><b>Ownership:</b> the copies are its own; our ends of pipes belong to the child's object once it is started.
 */
final class ChildDescriptors implements AutoCloseable {
    private static final int STANDARD = 3;
    private static final int STDOUT = 1;
    private static final int FILE_MODE = 0666;

    private final Sys sys;
    private final EventLoop loop;
    private final Set<Integer> inherited;
    private final int highest;

    /** Of this process and of the child; glibc refuses to plan with a number that is not below it. */
    private final long limit;

    // Arrays, so that closing them needs no memory: number targets[i] of the child means copies[i].
    private final int[] targets;
    private final @Nullable Fd[] copies;
    private int count;

    /** Our ends of pipes, entered for good, and their handles. */
    private final @Nullable Fd[] ends = new @Nullable Fd[STANDARD];

    private final @Nullable Descriptor[] ours = new @Nullable Descriptor[STANDARD];

    private ChildDescriptors(Sys sys, EventLoop loop, Set<Integer> inherited) {
        this.sys = sys;
        this.loop = loop;
        this.inherited = inherited;
        highest = inherited.stream().mapToInt(as -> as).reduce(STANDARD - 1, Math::max);
        limit = sys.processes().limit(RLIMIT_NOFILE).soft();
        targets = new int[STANDARD + inherited.size()];
        copies = new @Nullable Fd[targets.length];
    }

    /**
     * Opens and copies what one child is to have; a failure leaves nothing open.
     *
     * @param loop has our ends of pipes
     * @param stdio what numbers 0 to 2 are
     * @param inherited the other numbers of the child, and what they are here
     */
    static ChildDescriptors prepare(Sys sys, EventLoop loop, Stdio[] stdio, Map<Integer, Integer> inherited) {
        ChildDescriptors descriptors = new ChildDescriptors(sys, loop, inherited.keySet());
        boolean complete = false;
        try {
            descriptors.ensureBelowLimit();
            for (int as = 0; as < STANDARD; as++) {
                descriptors.standard(as, stdio[as]);
            }
            inherited.forEach((as, fd) -> descriptors.copy(fd, as));
            complete = true;
            return descriptors;
        } finally {
            if (!complete) {
                descriptors.close();
                descriptors.closeOurs();
            }
        }
    }

    private void ensureBelowLimit() {
        if (Long.compareUnsigned(highest, limit) >= 0) {
            throw new IllegalArgumentException("asNumber=" + highest + ": a child has the numbers below its limit of"
                    + " descriptors, which is " + limit + "; choose a lower number, or raise the limit (ulimit -n)");
        }
    }

    private void standard(int as, Stdio stdio) {
        switch (stdio.kind) {
            case INHERIT -> {}
            case NOTHING -> open(as, Stdio.NULL_DEVICE, O_RDWR);
            case READ -> open(as, stdio.file(), O_RDONLY);
            case WRITE -> open(as, stdio.file(), O_WRONLY | O_CREAT | O_TRUNC);
            case APPEND -> open(as, stdio.file(), O_WRONLY | O_CREAT | O_APPEND);
            case PIPE -> pipe(as);
            case STDOUT -> copyStdout(as);
            case DESCRIPTOR -> copyBorrowed(stdio, as);
        }
    }

    private void open(int as, Path path, int flags) {
        try (Fd file = opened(path, flags)) {
            copy(file, as);
        }
    }

    private Fd opened(Path path, int flags) {
        return NamedPipe.is(path)
                ? NamedPipe.open(sys, path, flags & ~O_CREAT)
                : sys.files().open(path, flags, (flags & O_CREAT) == 0 ? 0 : FILE_MODE);
    }

    private void pipe(int as) {
        Fd[] both = sys.descriptors().pipe(false);
        Fd mine = both[as == 0 ? 1 : 0];
        try (Fd theirs = both[as == 0 ? 0 : 1]) {
            // Entered for good: the handle closes the number.
            int number = mine.acquire();
            ends[as] = mine;
            ours[as] = Descriptor.adopt(loop, number);
            copy(theirs, as);
        }
    }

    /** The copy for standard output was made before; if there is none, that is ours. */
    private void copyStdout(int as) {
        for (int i = 0; i < count; i++) {
            if (targets[i] == STDOUT) {
                copy(Objects.requireNonNull(copies[i]), as);
                return;
            }
        }
        copy(STDOUT, as);
    }

    private void copyBorrowed(Stdio stdio, int as) {
        try {
            copy(stdio.number, as);
        } catch (SyscallException failure) {
            throw Failure.about(failure, "fd=" + stdio.number, "is it open in this process?");
        }
    }

    private void copy(Fd source, int as) {
        int number = source.acquire();
        try {
            copy(number, as);
        } finally {
            source.release();
        }
    }

    private void copy(int source, int as) {
        copies[count] = copyOf(source);
        targets[count++] = as;
    }

    /** Above all targets, or where the limit leaves no room there, at any number that is none. */
    // r[impl process.inherit-limit]
    private Fd copyOf(int source) {
        try {
            return sys.descriptors().duplicateFrom(source, highest + 1);
        } catch (SyscallException noneAbove) {
            if (noneAbove.errno() != Errno.EINVAL && noneAbove.errno() != Errno.EMFILE) {
                throw noneAbove;
            }
        }
        int lowest = STANDARD;
        while (true) {
            Fd copy = sys.descriptors().duplicateFrom(source, lowest);
            int number = copy.acquire();
            copy.release();
            if (!inherited.contains(number)) {
                return copy;
            }
            copy.close();
            lowest = number + 1;
        }
    }

    // r[impl process.clean]
    void addTo(SpawnPlan plan) {
        for (int i = 0; i < count; i++) {
            Fd copy = Objects.requireNonNull(copies[i]);
            plan.duplicate(copy.acquire(), targets[i]);
            copy.release();
        }
        for (int gap = STANDARD; gap < highest; gap++) {
            if (!isTarget(gap)) {
                plan.close(gap);
            }
        }
        if (highest + 1 == limit) {
            return; // nothing is above it
        }
        if (Feature.SPAWN_CLOSE_FROM.availability().isAvailable()) {
            plan.closeFrom(highest + 1);
        } else {
            closeListed(plan);
        }
    }

    private boolean isTarget(int number) {
        for (int i = 0; i < count; i++) {
            if (targets[i] == number) {
                return true;
            }
        }
        return false;
    }

    /** Best effort: another thread may open more, without O_CLOEXEC, before the child is made. */
    private void closeListed(SpawnPlan plan) {
        String[] listed = Objects.requireNonNullElse(new File("/proc/self/fd").list(), new String[0]);
        for (String number : listed) {
            int fd = Integer.parseInt(number);
            if (fd > highest && Long.compareUnsigned(fd, limit) < 0) {
                plan.close(fd);
            }
        }
    }

    /** Our ends of pipes, in the order of the numbers; null for what is no pipe. */
    @Nullable
    Descriptor[] ours() {
        return ours;
    }

    /** The child was not started. The handles were never used, so their descriptors are closed here and now. */
    void closeOurs() {
        for (int as = 0; as < STANDARD; as++) {
            Fd end = ends[as];
            if (end != null) {
                ends[as] = null;
                ours[as] = null;
                end.close();
                end.release();
            }
        }
    }

    /** The child has what it needs. */
    @Override
    public void close() {
        for (int i = 0; i < count; i++) {
            Fd copy = copies[i];
            if (copy != null) {
                copy.close();
            }
        }
    }
}
