package dev.carillon.process;

import static dev.carillon.sys.layout.Constants.O_APPEND;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.O_TRUNC;
import static dev.carillon.sys.layout.Constants.O_WRONLY;

import dev.carillon.loop.Descriptor;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.Feature;
import dev.carillon.sys.call.SpawnPlan;
import dev.carillon.sys.call.Sys;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
    private static final int FILE_MODE = 0666;

    private final Sys sys;
    private final EventLoop loop;
    private final int highest;
    private final Map<Integer, Fd> copies = new TreeMap<>();
    private final @Nullable Descriptor[] ours = new @Nullable Descriptor[STANDARD];

    private ChildDescriptors(Sys sys, EventLoop loop, int highest) {
        this.sys = sys;
        this.loop = loop;
        this.highest = highest;
    }

    static ChildDescriptors prepare(Sys sys, EventLoop loop, Spawn.Builder wanted) {
        int highest = wanted.inherited.keySet().stream().mapToInt(as -> as).reduce(STANDARD - 1, Math::max);
        ChildDescriptors descriptors = new ChildDescriptors(sys, loop, highest);
        boolean complete = false;
        try {
            for (int as = 0; as < STANDARD; as++) {
                descriptors.standard(as, Objects.requireNonNull(wanted.stdio[as]));
            }
            wanted.inherited.forEach((as, fd) -> descriptors.copy(fd, as));
            complete = true;
            return descriptors;
        } finally {
            if (!complete) {
                descriptors.close();
                descriptors.closeOurs();
            }
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
        }
    }

    private void open(int as, Path path, int flags) {
        try (Fd file = sys.files().open(path, flags, (flags & O_CREAT) == 0 ? 0 : FILE_MODE)) {
            copy(file, as);
        }
    }

    private void pipe(int as) {
        Fd[] ends = sys.descriptors().pipe(false);
        Fd theirs = ends[as == 0 ? 0 : 1];
        Fd mine = ends[as == 0 ? 1 : 0];
        try (theirs) {
            adopt(as, mine);
            copy(theirs, as);
        }
    }

    private void adopt(int as, Fd mine) {
        boolean adopted = false;
        try {
            // Entered for good: the handle closes the number.
            ours[as] = Descriptor.adopt(loop, mine.enter());
            adopted = true;
        } finally {
            if (!adopted) {
                mine.leave();
                mine.close();
            }
        }
    }

    private void copy(Fd source, int as) {
        int number = source.enter();
        try {
            copy(number, as);
        } finally {
            source.leave();
        }
    }

    private void copy(int source, int as) {
        Fd copy = sys.descriptors().duplicateFrom(source, highest + 1);
        boolean kept = false;
        try {
            copies.put(as, copy);
            kept = true;
        } finally {
            if (!kept) {
                copy.close();
            }
        }
    }

    // r[impl process.clean]
    void addTo(SpawnPlan plan) {
        copies.forEach((as, copy) -> {
            plan.duplicate(copy.enter(), as);
            copy.leave();
        });
        for (int gap = STANDARD; gap < highest; gap++) {
            if (!copies.containsKey(gap)) {
                plan.close(gap);
            }
        }
        if (Feature.SPAWN_CLOSE_FROM.availability().isAvailable()) {
            plan.closeFrom(highest + 1);
        } else {
            closeListed(plan);
        }
    }

    /** Best effort: another thread may open more, without O_CLOEXEC, before the child is made. */
    private void closeListed(SpawnPlan plan) {
        String[] listed = Objects.requireNonNullElse(new File("/proc/self/fd").list(), new String[0]);
        for (String number : listed) {
            int fd = Integer.parseInt(number);
            if (fd > highest) {
                plan.close(fd);
            }
        }
    }

    /** Our end of a pipe. */
    @Nullable
    Descriptor ours(int as) {
        return ours[as];
    }

    /** The child was not started. */
    void closeOurs() {
        for (Descriptor end : ours) {
            if (end != null) {
                end.close();
            }
        }
    }

    /** The child has what it needs. */
    @Override
    public void close() {
        copies.values().forEach(Fd::close);
    }
}
