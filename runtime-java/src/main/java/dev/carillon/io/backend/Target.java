package dev.carillon.io.backend;

import dev.carillon.loop.access.LoopAccess;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A handle as a backend sees it.
 *
 * <p><b>Threading:</b> the loop thread; {@link #isOpen} and the final fields: any thread.
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

        /** A socket that other code has opened. */
        ADOPTED_SOCKET,

        /** A plain file that other code has opened; it never waits, whatever its flags say. */
        ADOPTED_FILE,

        /** Anything else that other code has opened: a pipe, a terminal. */
        ADOPTED,

        /** A number that stays its owner's; the target lives for one operation. */
        BORROWED,

        /** No descriptor yet: a file that is about to be opened. */
        UNOPENED;

        /** Whether the calls for sockets work on it. */
        public boolean isSocket() {
            return switch (this) {
                case TCP, UNIX_STREAM, UDP, UNIX_DATAGRAM, LISTENER, ADOPTED_SOCKET -> true;
                case FILE, ADOPTED_FILE, ADOPTED, BORROWED, UNOPENED -> false;
            };
        }

        /** Whether it is a connection that was made here: a short read of it means that nothing is left. */
        public boolean isStream() {
            return this == TCP || this == UNIX_STREAM;
        }

        /** Whether other code has opened it and handed it over. */
        public boolean isAdopted() {
            return this == ADOPTED_SOCKET || this == ADOPTED_FILE || this == ADOPTED;
        }

        /** Whether it lives for one operation only; its number is not ours to close. */
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

    /** The data of the backend for it; null where it has none. */
    public @Nullable Object registration;

    /** Whether the kernel cannot, for this kind of descriptor, make a call that does not wait in spite of the flags. */
    public boolean lacksNoWait;

    /** A target for a descriptor on a loop. */
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
