package dev.carillon.io.backend;

import dev.carillon.loop.access.LoopAccess;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a backend knows of a handle.
 *
 * <p><b>Threading:</b> the loop thread; {@link #isOpen} and what never changes: any thread.
 */
public abstract class Target {
    /** The kinds of descriptors, as far as their calls differ. */
    public enum Kind {
        /** A connection over TCP. */
        TCP,

        /** A connection of Unix sockets. */
        UNIX_STREAM,

        /** A socket for datagrams over UDP. */
        UDP,

        /** A Unix socket for datagrams. */
        UNIX_DATAGRAM,

        /** A socket that listens. */
        LISTENER,

        /** A file that was opened here. */
        FILE,

        /** A socket that somebody else has opened. */
        ADOPTED_SOCKET,

        /** A plain file that somebody else has opened; it never waits, whatever its flags say. */
        ADOPTED_FILE,

        /** Anything else that somebody else has opened: a pipe, a terminal. */
        ADOPTED,

        /** A number that stays its owner's, for the time of one operation. */
        BORROWED,

        /** No descriptor yet: a file that is about to be opened. */
        UNOPENED;

        /** Whether calls of sockets work on it. */
        public boolean isSocket() {
            return switch (this) {
                case TCP, UNIX_STREAM, UDP, UNIX_DATAGRAM, LISTENER, ADOPTED_SOCKET -> true;
                case FILE, ADOPTED_FILE, ADOPTED, BORROWED, UNOPENED -> false;
            };
        }

        /** Whether it is a connection that was made here, of which a short read tells that nothing is left. */
        public boolean isStream() {
            return this == TCP || this == UNIX_STREAM;
        }

        /** Whether somebody else has opened it and gave it to us. */
        public boolean isAdopted() {
            return this == ADOPTED_SOCKET || this == ADOPTED_FILE || this == ADOPTED;
        }

        /** Whether it is there for one operation only, and its number is not ours to close. */
        public boolean isTransient() {
            return this == BORROWED || this == UNOPENED;
        }
    }

    /** The loop that it lives on. */
    public final LoopAccess loop;

    /** The backend of that loop. */
    public final Backend backend;

    public final Kind kind;

    /** The descriptor. */
    public final int number;

    /** What the backend keeps for it; null where it keeps nothing. */
    public @Nullable Object registration;

    /** The kernel was asked not to wait in spite of its flags, and cannot for what this is. */
    public boolean lacksNoWait;

    /** Stands for a descriptor on a loop. */
    protected Target(LoopAccess loop, Kind kind, int number) {
        this.loop = Objects.requireNonNull(loop, "loop");
        this.backend = (Backend) loop.poller();
        this.kind = kind;
        this.number = number;
    }

    /** Whether its handle is open. */
    public abstract boolean isOpen();

    /** Its handle, for messages. */
    @Override
    public abstract String toString();
}
