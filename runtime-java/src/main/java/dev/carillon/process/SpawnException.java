package dev.carillon.process;

import dev.carillon.sys.Errno;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A child could not be started. Nothing is left of it.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class SpawnException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final int errno;
    private final String command;

    /** What was in the way. */
    public enum Reason {
        /** There is no such program, or none of that name on the PATH, or its interpreter is missing. */
        COMMAND_NOT_FOUND("is there such a program, on the PATH of this process if it was given by name alone, and the"
                + " interpreter that a script names in its first line?"),

        /** There is such a file, but it may not be executed, or is no program. */
        NOT_EXECUTABLE("make it executable (chmod +x), and look whether it is a program for this machine or a script"
                + " that names its interpreter"),

        /** The working directory does not exist, is none, or may not be entered. */
        NO_DIRECTORY("create the working directory, or name another one"),

        /** The leader of the group that the child was to join has left that group, and nobody is in it. */
        NO_GROUP("start it with ownGroup(): nobody is in that group any more"),

        /** The system has no room for another process, or for these arguments. */
        REFUSED("look at the limits of processes and memory (ulimit -u, pids.max), and at the size of the arguments");

        private final String advice;

        Reason(String advice) {
            this.advice = advice;
        }
    }

    private SpawnException(Reason reason, int errno, String command, String subject) {
        super(subject + " could not be started: " + Errno.name(errno) + " (" + errno + "), " + reason + "; "
                + reason.advice);
        this.reason = reason;
        this.errno = errno;
        this.command = command;
    }

    /** The child has only one number to report what failed, be it the directory or the program. */
    static SpawnException of(int errno, String command, @Nullable Path directory) {
        String where = directory == null ? "" : ", directory=" + directory;
        return new SpawnException(reason(errno, directory), errno, command, "command=" + command + where);
    }

    /** The group that it was to join is empty. */
    static SpawnException noGroup(String command, int group) {
        return new SpawnException(Reason.NO_GROUP, Errno.EPERM, command, "command=" + command + ", group=" + group);
    }

    private static Reason reason(int errno, @Nullable Path directory) {
        return switch (errno) {
            case Errno.ENOENT, Errno.ENOTDIR ->
                directory != null && !Files.isDirectory(directory) ? Reason.NO_DIRECTORY : Reason.COMMAND_NOT_FOUND;
            case Errno.EACCES ->
                directory != null && !Files.isExecutable(directory) ? Reason.NO_DIRECTORY : Reason.NOT_EXECUTABLE;
            case Errno.ENOEXEC, Errno.EISDIR, Errno.EPERM -> Reason.NOT_EXECUTABLE;
            default -> Reason.REFUSED;
        };
    }

    /** What was in the way. */
    public Reason reason() {
        return reason;
    }

    /** The error number of posix_spawn(3). */
    public int errno() {
        return errno;
    }

    /** Its name, as in {@code ENOENT}. */
    public String errnoName() {
        return Errno.name(errno);
    }

    /** The program that was to be started. */
    public String command() {
        return command;
    }
}
