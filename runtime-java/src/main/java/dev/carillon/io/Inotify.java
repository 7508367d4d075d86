package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.IN_CLOSE_WRITE;
import static dev.carillon.sys.layout.Constants.IN_CREATE;
import static dev.carillon.sys.layout.Constants.IN_DELETE;
import static dev.carillon.sys.layout.Constants.IN_IGNORED;
import static dev.carillon.sys.layout.Constants.IN_ISDIR;
import static dev.carillon.sys.layout.Constants.IN_MOVED_FROM;
import static dev.carillon.sys.layout.Constants.IN_MOVED_TO;
import static dev.carillon.sys.layout.Constants.IN_MOVE_SELF;
import static dev.carillon.sys.layout.Constants.IN_ONLYDIR;
import static dev.carillon.sys.layout.Constants.IN_Q_OVERFLOW;

import dev.carillon.sys.Fd;
import dev.carillon.sys.FileNames;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.InotifyEventLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports changes in folders. It never waits by itself. A caller waits for its {@link #number}, with {@link
 * EventLoop#watch}, {@link Descriptor#awaitReadable} or anything else that waits for descriptors, and then calls {@link
 * #poll}.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> the opener closes it, after all waits for its number have ended.
 *
 * <p><b>See:</b> inotify(7).
 */
public final class Inotify implements AutoCloseable {
    private static final int WANTED =
            IN_CREATE | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR;
    private static final Map<Integer, Kind> KINDS = Map.of(
            IN_CREATE, Kind.CREATED,
            IN_CLOSE_WRITE, Kind.WRITTEN,
            IN_DELETE, Kind.DELETED,
            IN_MOVED_FROM, Kind.MOVED_AWAY,
            IN_MOVED_TO, Kind.MOVED_HERE,
            IN_MOVE_SELF, Kind.FOLDER_MOVED);
    private static final int CAPACITY = 64 * 1024;

    private final Sys sys = Sys.get();
    private final NativeBytes events = NativeBytes.allocate(sys.libc(), CAPACITY);
    private final Map<Integer, Path> folders = new HashMap<>();

    /** Last: a failure before it leaves no descriptor open. */
    private final Fd fd = sys.inotify().open();

    private Inotify() {}

    /**
     * Opens one that watches nothing yet.
     *
     * @throws dev.carillon.SyscallException EMFILE if the process has no descriptor left, or the user no inotify
     *     (fs.inotify.max_user_instances)
     */
    public static Inotify open() {
        return new Inotify();
    }

    /** What can happen in a folder. */
    public enum Kind {
        /** Something was made there. */
        CREATED,
        /** A file that had been open for writing was closed. */
        WRITTEN,
        /** Something was deleted. */
        DELETED,
        /** Something was moved away, or renamed: then it is also moved here, with its new name. */
        MOVED_AWAY,
        /** Something was moved here. */
        MOVED_HERE,
        /** The folder itself is gone, and is not watched any more. */
        FOLDER_GONE,
        /** The folder itself was moved or renamed; its new place is not known. It is not watched any more: add it again. */
        FOLDER_MOVED,
        /** More happened than the kernel has room for, so changes are missing: look through the folders. */
        LOST
    }

    /**
     * Something happened.
     *
     * @param kind what
     * @param path to what; null if changes were lost
     * @param isFolder whether that is a folder
     */
    public record Change(Kind kind, @Nullable Path path, boolean isFolder) {}

    /**
     * The descriptor to wait for; it stays this object's.
     *
     * @throws dev.carillon.ClosedException if it is closed
     */
    public int number() {
        int number = fd.acquire();
        fd.release();
        return number;
    }

    /**
     * Watches a folder, but not the folders in it.
     *
     * @throws dev.carillon.SyscallException ENOENT or ENOTDIR if there is no such folder, ENOSPC if the user has no
     *     watches left (fs.inotify.max_user_watches)
     */
    public void add(Path folder) {
        int number = fd.acquire();
        try {
            folders.put(sys.inotify().add(number, folder, WANTED), folder);
        } finally {
            fd.release();
        }
    }

    /**
     * The changes since the last call, the oldest first; empty if there are none. Never blocks, and does not wait for an end
     * of the changes: it may leave what comes meanwhile to the next call.
     */
    public List<Change> poll() {
        List<Change> changes = new ArrayList<>();
        int number = fd.acquire();
        try {
            long length;
            for (long left = sys.inotify().backlog(number); left > 0; left -= length) {
                length = sys.descriptors().read(number, events.address(), CAPACITY);
                if (length <= 0) {
                    break;
                }
                for (int at = 0; at < length; at = next(at)) {
                    add(changes, number, at);
                }
            }
        } finally {
            fd.release();
        }
        return changes;
    }

    private int next(int at) {
        return at + InotifyEventLayout.SIZE + events.bytes().getInt(at + InotifyEventLayout.LEN);
    }

    private void add(List<Change> changes, int number, int at) {
        ByteBuffer bytes = events.bytes();
        int mask = bytes.getInt(at + InotifyEventLayout.MASK);
        int watch = bytes.getInt(at + InotifyEventLayout.WD);
        if ((mask & IN_Q_OVERFLOW) != 0) {
            changes.add(new Change(Kind.LOST, null, false));
            return;
        }
        boolean ends = (mask & (IN_IGNORED | IN_MOVE_SELF)) != 0;
        Path folder = ends ? folders.remove(watch) : folders.get(watch);
        if (folder == null) {
            return;
        }
        if ((mask & IN_MOVE_SELF) != 0) {
            sys.inotify().remove(number, watch);
        }
        Path path = ends ? folder : folder.resolve(FileNames.pathOf(name(at)));
        changes.add(new Change(kind(mask), path, ends || (mask & IN_ISDIR) != 0));
    }

    private static Kind kind(int mask) {
        return KINDS.entrySet().stream()
                .filter(kind -> (mask & kind.getKey()) != 0)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(Kind.FOLDER_GONE);
    }

    /** The name behind the event, filled up with zeros. It is bytes, which may be no text in this locale. */
    private byte[] name(int at) {
        byte[] name = new byte[events.bytes().getInt(at + InotifyEventLayout.LEN)];
        events.bytes().get(at + InotifyEventLayout.NAME, name);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return Arrays.copyOf(name, length);
    }

    /** Ends the watching; a second call does nothing. */
    @Override
    public void close() {
        fd.close();
        events.close();
    }
}
