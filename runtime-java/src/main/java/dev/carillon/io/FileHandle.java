package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.O_APPEND;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_DSYNC;
import static dev.carillon.sys.layout.Constants.O_EXCL;
import static dev.carillon.sys.layout.Constants.O_NONBLOCK;
import static dev.carillon.sys.layout.Constants.O_RDONLY;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.O_TRUNC;
import static dev.carillon.sys.layout.Constants.O_WRONLY;

import dev.carillon.SyscallException;
import dev.carillon.io.backend.Argument;
import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A file.
 *
 * <p>On epoll, the loop thread opens a file, and does the operations on a regular file, in the call that starts them, so a
 * slow disk holds the loop up. A backend that completes (io_uring) does them asynchronously. For a named pipe or a terminal
 * the loop waits as for a socket.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> the opener closes it.
 *
 * <p><b>See:</b> openat2(2), pread(2).
 */
public final class FileHandle extends StreamHandle {
    private static final int PERMISSIONS = 0_666;

    private final Fd fd;

    /** Whether the kernel writes at the end, whatever the position is. */
    private final boolean appends;

    private FileHandle(EventLoop loop, Fd fd, boolean appends) {
        super(loop, fd, Target.Kind.FILE);
        this.fd = fd;
        this.appends = appends;
    }

    /**
     * Opens a file; without options for reading. New files get the permissions that the umask leaves.
     *
     * <p>The result fails with a {@link NoSuchFileException} if there is no such file, else with a
     * {@link SyscallException}.
     *
     * @param options READ, WRITE, APPEND, CREATE, CREATE_NEW, TRUNCATE_EXISTING, SYNC, DSYNC; not DELETE_ON_CLOSE: delete
     *     the path when the file is open
     * @throws IllegalArgumentException if the options contradict each other (APPEND with TRUNCATE_EXISTING), or
     *     DELETE_ON_CLOSE is among them
     */
    public static CompletableFuture<FileHandle> open(EventLoop loop, Path path, StandardOpenOption... options) {
        Opening opening = new Opening(loop, path, Set.of(options));
        return opening.future(opening::start, done -> made(done, FileHandle.class));
    }

    /** Opens a file, without a future: the operation's value is a FileHandle. */
    public static void open(EventLoop loop, Path path, Set<StandardOpenOption> options, Operation operation) {
        new Opening(loop, path, options).start(operation);
    }

    /** Reads at a position of the file, 256 KiB at most; the file's own position stays. See {@link #readAllAtAsync}. */
    public CompletableFuture<Integer> readAtAsync(ByteBuffer buffer, long position) {
        return bytes(operation -> readAt(buffer, position, operation));
    }

    /** Reads at a position, without a future. */
    public void readAt(ByteBuffer buffer, long position, Operation operation) {
        Buffers.ensureWritable(buffer);
        at(position, with(claim(operation, Request.Kind.READ), buffer));
    }

    /**
     * Reads at a position until the buffer is full or the file ends; the file's own position stays. Any thread.
     *
     * @return how many bytes were read, -1 if the file has none there
     * @throws IllegalArgumentException if the buffer is read-only or has no room
     */
    public CompletableFuture<Integer> readAllAtAsync(ByteBuffer buffer, long position) {
        return bytes(operation -> readAllAt(buffer, position, operation));
    }

    /** Reads as {@link #readAllAtAsync}, without a future. */
    public void readAllAt(ByteBuffer buffer, long position, Operation operation) {
        Buffers.ensureWritable(buffer);
        at(position, with(claim(operation, Request.Kind.READ), buffer).untilAll(buffer.remaining()));
    }

    /**
     * Writes at a position of the file, 256 KiB at most: the result says how many bytes; the file's own position stays.
     *
     * @throws IllegalStateException if the file was opened with APPEND
     */
    public CompletableFuture<Integer> writeAtAsync(ByteBuffer buffer, long position) {
        return bytes(operation -> writeAt(buffer, position, operation));
    }

    /** Writes at a position, without a future. */
    public void writeAt(ByteBuffer buffer, long position, Operation operation) {
        Buffers.ensureRemaining(buffer);
        ensurePlaces(position);
        at(position, with(claim(operation, Request.Kind.WRITE), buffer));
    }

    /**
     * Writes all that remains in the buffer at a position of the file; the file's own position stays. Any thread.
     *
     * @return how many bytes that was
     * @throws IllegalArgumentException if nothing remains in the buffer
     * @throws IllegalStateException if the file was opened with APPEND
     */
    public CompletableFuture<Integer> writeAllAtAsync(ByteBuffer buffer, long position) {
        return bytes(operation -> writeAllAt(buffer, position, operation));
    }

    /** Writes as {@link #writeAllAtAsync}, without a future. */
    public void writeAllAt(ByteBuffer buffer, long position, Operation operation) {
        Buffers.ensureRemaining(buffer);
        ensurePlaces(position);
        at(position, with(claim(operation, Request.Kind.WRITE), buffer).untilAll(buffer.remaining()));
    }

    private void ensurePlaces(long position) {
        if (appends) {
            throw new IllegalStateException(
                    "position=" + position + ": the file was opened with APPEND, so the kernel writes"
                            + " at its end wherever that is; use writeAll, or open it with WRITE");
        }
    }

    private void at(long position, Request request) {
        if (position < 0) {
            request.unclaim();
            throw new IllegalArgumentException("position=" + position + ": not negative");
        }
        request.position = position;
        submit(request);
    }

    /** How many bytes the file has now. Any thread. */
    public long length() {
        int number = fd.acquire();
        try {
            return Sys.get().files().status(number).size();
        } finally {
            fd.release();
        }
    }

    /** A file that is about to be opened. */
    private static final class Opening extends Handle implements Argument.Opener {
        private final Path path;
        private final int flags;

        Opening(EventLoop loop, Path path, Set<StandardOpenOption> options) {
            super(loop, null, 0, Target.Kind.UNOPENED);
            loop().ensureAccepting();
            this.path = Objects.requireNonNull(path, "path");
            this.flags = flags(options);
        }

        void start(Operation operation) {
            Request request = claim(operation, Request.Kind.OPEN);
            request.argument = this;
            submit(request);
        }

        @Override
        public Object open(Sys sys) {
            int mode = (flags & O_CREAT) != 0 ? PERMISSIONS : 0;
            Fd fd = sys.files().open(path, flags, mode);
            Object file = null;
            try {
                file = new FileHandle(eventLoop(), fd, (flags & O_APPEND) != 0);
                return file;
            } finally {
                if (file == null) {
                    fd.close();
                }
            }
        }

        /** The exception that java.nio.file would throw, where that says more. */
        @Override
        public Throwable located(SyscallException failure) {
            if (failure.errno() != Errno.ENOENT) {
                return failure;
            }
            NoSuchFileException missing = new NoSuchFileException(
                    path.toString(),
                    null,
                    (flags & O_CREAT) == 0
                            ? "there is no such file; correct the path, or open it with CREATE"
                            : "a directory of that path is missing; create it before");
            missing.initCause(failure);
            return missing;
        }

        private static int flags(Set<StandardOpenOption> options) {
            boolean append = options.contains(StandardOpenOption.APPEND);
            boolean write = append || options.contains(StandardOpenOption.WRITE);
            boolean read = options.contains(StandardOpenOption.READ);
            if (append && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                throw new IllegalArgumentException("options=" + options
                        + ": APPEND keeps what is there and TRUNCATE_EXISTING does not; choose one of them");
            }
            // A named pipe without a writer would block the loop.
            int flags = O_NONBLOCK | (!write ? O_RDONLY : read ? O_RDWR : O_WRONLY);
            for (StandardOpenOption option : options) {
                flags |= switch (option) {
                    case READ, WRITE, SPARSE -> 0;
                    case APPEND -> O_APPEND;
                    case CREATE -> write ? O_CREAT : 0;
                    case CREATE_NEW -> write ? O_CREAT | O_EXCL : 0;
                    case TRUNCATE_EXISTING -> write ? O_TRUNC : 0;
                    case SYNC, DSYNC -> O_DSYNC;
                    case DELETE_ON_CLOSE ->
                        throw new IllegalArgumentException(
                                "option=DELETE_ON_CLOSE cannot be had; delete the path when it is open");
                };
            }
            return flags;
        }
    }
}
