package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;
import static dev.carillon.sys.layout.Constants.POSIX_SPAWN_SETPGROUP;
import static dev.carillon.sys.layout.Constants.POSIX_SPAWN_SETSID;
import static dev.carillon.sys.layout.Constants.POSIX_SPAWN_SETSIGDEF;
import static dev.carillon.sys.layout.Constants.POSIX_SPAWN_SETSIGMASK;

import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.layout.ProcessLayout.SpawnActions;
import dev.carillon.sys.layout.ProcessLayout.SpawnAttributes;
import dev.carillon.sys.layout.SigsetLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How a child begins: its mask, its dispositions, and steps on its descriptors in the order in which they were added.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> close it after the spawn; the child keeps nothing of it.
 *
 * <p><b>See:</b> posix_spawn(3).
 */
public final class SpawnPlan implements AutoCloseable {
    private final LibC libc;
    private final NativeBytes attributes;
    private final NativeBytes actions;
    private final List<NativeBytes> paths = new ArrayList<>();
    private int flags;
    private boolean closed;

    SpawnPlan(LibC libc) {
        this.libc = libc;
        attributes = NativeBytes.allocate(libc, SpawnAttributes.SIZE);
        actions = NativeBytes.allocate(libc, SpawnActions.SIZE);
        checked("posix_spawnattr_init", libc.posix_spawnattr_init(attributes.address()));
        checked("posix_spawn_file_actions_init", libc.posix_spawn_file_actions_init(actions.address()));
    }

    /** Blocks exactly these signals in the child. */
    public SpawnPlan mask(long set) {
        try (NativeBytes bytes = glibcSet(set)) {
            checked(
                    "posix_spawnattr_setsigmask",
                    libc.posix_spawnattr_setsigmask(attributes.address(), bytes.address()));
        }
        return withFlag(POSIX_SPAWN_SETSIGMASK);
    }

    /** Gives these signals their default disposition in the child. */
    public SpawnPlan defaults(long set) {
        try (NativeBytes bytes = glibcSet(set)) {
            checked(
                    "posix_spawnattr_setsigdefault",
                    libc.posix_spawnattr_setsigdefault(attributes.address(), bytes.address()));
        }
        return withFlag(POSIX_SPAWN_SETSIGDEF);
    }

    /** Puts the child into a group of processes of its session; 0 is one of its own, which it leads. */
    public SpawnPlan group(int group) {
        if (group < 0) {
            throw new IllegalArgumentException("group=" + group + ": 0 for one of its own, or the pid of a leader");
        }
        checked("posix_spawnattr_setpgroup", libc.posix_spawnattr_setpgroup(attributes.address(), group));
        return withFlag(POSIX_SPAWN_SETPGROUP);
    }

    /** Has the child lead a session of its own, and the first group of that; it has no terminal. */
    public SpawnPlan session() {
        return withFlag(POSIX_SPAWN_SETSID);
    }

    private NativeBytes glibcSet(long set) {
        NativeBytes bytes = NativeBytes.allocate(libc, SigsetLayout.SIZE);
        SigsetLayout.putGlibc(bytes.bytes(), 0, set);
        return bytes;
    }

    private SpawnPlan withFlag(int flag) {
        flags |= flag;
        checked("posix_spawnattr_setflags", libc.posix_spawnattr_setflags(attributes.address(), flags));
        return this;
    }

    /** In the child a number means what another means here, and is inherited even if this one is not. */
    public SpawnPlan duplicate(int fd, int as) {
        int result = libc.posix_spawn_file_actions_adddup2(actions.address(), fd, as);
        checked("posix_spawn_file_actions_adddup2", result);
        return this;
    }

    /** Opens a file as a number in the child. */
    public SpawnPlan open(int as, String path, int openFlags, int mode) {
        NativeBytes text = kept(NativeBytes.text(libc, "path", path));
        int result = libc.posix_spawn_file_actions_addopen(actions.address(), as, text.address(), openFlags, mode);
        checked("posix_spawn_file_actions_addopen", result);
        return this;
    }

    /** Closes a number in the child. */
    public SpawnPlan close(int fd) {
        checked("posix_spawn_file_actions_addclose", libc.posix_spawn_file_actions_addclose(actions.address(), fd));
        return this;
    }

    /** Closes every number from this one on in the child; needs {@link dev.carillon.sys.Feature#SPAWN_CLOSE_FROM}. */
    public SpawnPlan closeFrom(int lowest) {
        int result = libc.posix_spawn_file_actions_addclosefrom_np(actions.address(), lowest);
        checked("posix_spawn_file_actions_addclosefrom_np", result);
        return this;
    }

    /** The child's working directory. */
    public SpawnPlan directory(Path path) {
        NativeBytes name = kept(NativeBytes.path(libc, path));
        int result = libc.posix_spawn_file_actions_addchdir_np(actions.address(), name.address());
        checked("posix_spawn_file_actions_addchdir_np", result);
        return this;
    }

    private NativeBytes kept(NativeBytes path) {
        paths.add(path);
        return path;
    }

    /**
     * Starts the child; returns when its program runs, or could not be run.
     *
     * @param file a path, or a name that is looked for on the PATH of this process
     * @param environment as in {@code NAME=value}, in bytes without a zero
     * @return the child's pid, or -errno of what failed in the child (-ENOENT, -EACCES, ...)
     */
    public int spawn(String file, List<String> arguments, List<byte[]> environment) {
        return spawn(NativeBytes.encoded("file", file), encoded(arguments), environment);
    }

    /** As {@link #spawn(String, List, List)}, where names and arguments are bytes without a zero. */
    public int spawn(byte[] file, List<byte[]> arguments, List<byte[]> environment) {
        if (closed) {
            throw new IllegalStateException("the plan is closed");
        }
        try (NativeBytes name = NativeBytes.string(libc, file);
                NativeBytes argv = NativeBytes.strings(libc, arguments);
                NativeBytes envp = NativeBytes.strings(libc, environment);
                NativeBytes pid = NativeBytes.allocate(libc, Integer.BYTES)) {
            int result = libc.posix_spawnp(
                    pid.address(),
                    name.address(),
                    actions.address(),
                    attributes.address(),
                    argv.address(),
                    envp.address());
            return result < 0 ? result : pid.bytes().getInt(0);
        }
    }

    private static List<byte[]> encoded(List<String> arguments) {
        return IntStream.range(0, arguments.size())
                .mapToObj(i -> NativeBytes.encoded("argument " + i, arguments.get(i)))
                .toList();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            libc.posix_spawn_file_actions_destroy(actions.address());
            libc.posix_spawnattr_destroy(attributes.address());
            paths.forEach(NativeBytes::close);
            actions.close();
            attributes.close();
        }
    }
}
