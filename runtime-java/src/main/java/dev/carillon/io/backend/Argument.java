package dev.carillon.io.backend;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that only some kinds need, mostly to make the result for the user. <b>Threading:</b> the loop
 * thread.
 */
public interface Argument {
    /** The argument of an ACCEPT: its listener. */
    interface Acceptor extends Argument {
        /** A connection that was given back, or null. */
        @Nullable
        Object takeBack();

        /** The socket of a connection; it owns the descriptor. */
        Object accepted(Fd connection);

        /** There is no descriptor to accept with; returns whether something was given up, so that the next try may have one. */
        boolean makesRoom();

        /** The listener has to pause; returns whether to report that. */
        boolean beginsToPause(long now);

        /** The listener was found without O_NONBLOCK; returns whether to report that. */
        boolean isFirstToBlock();
    }

    /** The argument of a CONNECT. */
    @FunctionalInterface
    interface Connector extends Argument {
        /** The socket that is connected now. */
        Object connected();
    }

    /** The argument of an OPEN: the file. */
    interface Opener extends Argument {
        /** Opens the file. */
        Object open(Sys sys);

        /** The failure as users get it. */
        Throwable located(SyscallException failure);
    }

    /** The argument of a RECEIVE. */
    @FunctionalInterface
    interface DatagramReceiver extends Argument {
        /** A datagram of this length; its end is lost if the buffer had less room. */
        Object received(int length, @Nullable SocketAddress sender, boolean isTruncated);
    }

    /** The argument of a SEND_DESCRIPTORS. */
    @FunctionalInterface
    interface DescriptorSender extends Argument {
        /** The descriptors to send; the caller does not change the array. */
        int[] numbers();
    }

    /** The argument of a RECEIVE_DESCRIPTORS. */
    interface DescriptorReceiver extends Argument {
        /** How many are expected at most. */
        int most();

        /** Bytes and descriptors have come; -1 bytes at the end. */
        Object received(int bytes, List<Fd> descriptors);
    }
}
