package dev.carillon.shm;

import static dev.carillon.sys.layout.Constants.O_DIRECTORY;
import static dev.carillon.sys.layout.Constants.O_NOFOLLOW;
import static dev.carillon.sys.layout.Constants.O_RDONLY;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.FileCalls;
import dev.carillon.sys.call.FileStatus;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a host: only its user can enter it, and only one host has it.
 *
 * <p>The kernel keeps the lock as long as the host has the directory open, so that of a host which was killed is free. No file is
 * needed for it, and none can be taken for that of another host.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>See:</b> flock(2).
 */
// r[impl shm.host.directory]
final class HostFolder implements AutoCloseable {
    static final String SOCKET = "socket";

    /** A directory that can always be opened. */
    private static final String ANYWHERE = "/";

    private static final int OWNER_ONLY = 0700;
    private static final int PERMISSIONS = 0777;

    /** To read and to write. Passing through (711) is what a program gives to guests of other users. */
    private static final int NEVER_FOR_OTHERS = 0066;

    private static final int ATTEMPTS = 100;

    private final Path path;
    private final Fd fd;
    private final LinkFiles links;

    private HostFolder(Path path, Fd fd) {
        this.path = path;
        this.fd = fd;
        links = new LinkFiles(path);
    }

    /**
     * Makes a directory, or takes one over that is empty or that a dead host has left.
     *
     * @throws IllegalStateException if another host lives there, or it is not a directory that this user alone may enter
     * @throws SyscallException if it cannot be made or opened
     */
    static HostFolder claim(Path path) {
        FileCalls files = Sys.get().files();
        // Another host may remove its directory between any two steps. Each turn is one try.
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            HostFolder folder = claimed(files, path);
            if (folder != null) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "path=" + path + " was removed again and again by others; choose another directory");
    }

    private static @Nullable HostFolder claimed(FileCalls files, Path path) {
        boolean made;
        // Who can open nothing makes nothing: without the lock no directory may be removed again.
        Fd spare = files.open(ANYWHERE, O_RDONLY | O_DIRECTORY, 0);
        try {
            made = make(files, path);
        } finally {
            spare.close();
        }
        Fd fd = open(files, path);
        if (fd == null) {
            return null;
        }
        HostFolder folder = new HostFolder(path, fd);
        return folder.isClaimed(files, made) ? folder : null;
    }

    /** False if something is there already. */
    private static boolean make(FileCalls files, Path path) {
        try {
            return files.makeFolder(path, OWNER_ONLY);
        } catch (SyscallException failure) {
            throw switch (failure.errno()) {
                case Errno.EACCES, Errno.EROFS ->
                    Failure.about(failure, "path=" + path, "this user may not make a directory there");
                case Errno.ENOENT -> Failure.about(failure, "path=" + path, "make the directory above it before");
                default -> failure;
            };
        }
    }

    /** Null if it is not there any more. */
    private static @Nullable Fd open(FileCalls files, Path path) {
        try {
            return files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
        } catch (SyscallException failure) {
            if (failure.errno() == Errno.ENOENT) {
                return null;
            }
            throw switch (failure.errno()) {
                case Errno.ELOOP, Errno.ENOTDIR ->
                    refused(
                            path,
                            Files.isSymbolicLink(path)
                                    ? "is a symbolic link, which may lead elsewhere later; give the path that it leads to"
                                    : "is no directory; a host makes one of its own there, so choose a path that is free");
                case Errno.EACCES ->
                    Failure.about(failure, "path=" + path, "it is another user's; choose a directory of your own");
                default -> failure;
            };
        }
    }

    /** False if another host has removed it meanwhile; closes it, and removes what this one has made, unless this is true. */
    private boolean isClaimed(FileCalls files, boolean made) {
        boolean claimed = false;
        int number = fd.acquire();
        try {
            ensureOurs(files.status(number));
            if (!files.tryLock(number)) {
                throw refused(path, "is in use: another host lives there; close that one, or choose another directory");
            }
            if (isStillThere(files, number)) {
                removeWhatWasLeft(files);
                keepOthersOut(files, number);
                claimed = true;
            }
        } finally {
            try {
                if (!claimed && made) {
                    removeUnlessTaken(files, number);
                }
            } finally {
                fd.release();
                if (!claimed) {
                    fd.close();
                }
            }
        }
        return claimed;
    }

    /** The directory may be another host's by now, which has the lock, or another one may have its name. */
    private void removeUnlessTaken(FileCalls files, int number) {
        if (files.tryLock(number) && isStillThere(files, number)) {
            files.removeFolder(path);
        }
    }

    private void ensureOurs(FileStatus status) {
        if (status.uid() != SocketUsers.ours()) {
            throw refused(
                    path,
                    "belongs to uid=" + status.uid() + ", and this process to uid=" + SocketUsers.ours()
                            + ": somebody may have put it there; choose a directory of your own");
        }
        int mode = status.permissions() & PERMISSIONS;
        if ((mode & OWNER_ONLY) != OWNER_ONLY || (mode & NEVER_FOR_OTHERS) != 0) {
            throw refused(
                    path,
                    "has mode=" + Integer.toOctalString(mode)
                            + ": the directory of a host has mode=700, so that no other user gets in; change that"
                            + " (chmod 700), or choose another directory");
        }
    }

    /** By the descriptor: a name may mean something else by now. Who wants to let others pass does so when the host is there. */
    private static void keepOthersOut(FileCalls files, int number) {
        if ((files.status(number).permissions() & PERMISSIONS) != OWNER_ONLY) {
            files.permissions(Path.of("/proc/self/fd/" + number), OWNER_ONLY);
        }
    }

    /** Needs no descriptor, so that a close always finds it out. */
    private boolean isStillThere(FileCalls files, int number) {
        FileStatus there = files.statusOf(path);
        return there != null && there.isSameFile(files.status(number));
    }

    /** Looks at all before it removes anything. */
    private void removeWhatWasLeft(FileCalls files) {
        List<Path> left = contents(files);
        Optional<Path> other = left.stream().filter(each -> !isOfAHost(each)).findFirst();
        if (other.isPresent()) {
            throw refused(
                    path,
                    "has " + other.get().getFileName()
                            + " in it, which is no file of a host; choose a path that is free or an empty directory");
        }
        left.forEach(files::unlink);
    }

    private static boolean isOfAHost(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? file.endsWith(SOCKET) || LinkFiles.isName(String.valueOf(file.getFileName()))
                : file.endsWith(SOCKET) && !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
    }

    private List<Path> contents(FileCalls files) {
        // For a listing the JDK opens two descriptors; where there are none, these calls say so by its errno.
        Fd one = open(files);
        try {
            open(files).close();
        } finally {
            one.close();
        }
        try (Stream<Path> names = Files.list(path)) {
            return names.toList();
        } catch (IOException e) {
            throw new UncheckedIOException("path=" + path + " cannot be listed: " + e.getMessage(), e);
        }
    }

    private Fd open(FileCalls files) {
        return files.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    }

    private static IllegalStateException refused(Path path, String why) {
        return new IllegalStateException("path=" + path + " " + why);
    }

    /** Where the host listens. */
    Path socket() {
        return path.resolve(SOCKET);
    }

    /** The files of its links. */
    LinkFiles links() {
        return links;
    }

    /** Removes the files and the directory, unless something else is in it, or in its place. The lock goes last. */
    @Override
    public void close() {
        if (!fd.isOpen()) {
            return;
        }
        FileCalls files = Sys.get().files();
        int number = fd.acquire();
        try {
            if (isStillThere(files, number)) {
                // The links are closed, and have taken their files with them.
                files.unlink(socket());
                files.removeFolder(path);
            }
        } finally {
            fd.release();
            fd.close();
        }
    }

    @Override
    public String toString() {
        return "HostFolder[" + path + "]";
    }
}
