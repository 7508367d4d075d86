package dev.carillon.io.backend;

import dev.carillon.SyscallException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What only some kinds of requests need, mostly to make what their users get. <b>Threading:</b> the loop thread. */
public interface Argument {
    /** Of an ACCEPT: its listener. */
    interface Acceptor extends Argument {
        /** A connection that was given back, or null. */
        @Nullable
        Object takeBack();

        /** The socket of a connection; it owns the descriptor. */
        Object accepted(Fd connection);

        /** It has to pause; whether that is news. */
        boolean beginsToPause(long now);

        /** It was found without O_NONBLOCK; whether that is news. */
        boolean isFirstToBlock();
    }

    /** Of a CONNECT. */
    @FunctionalInterface
    interface Connector extends Argument {
        /** The socket that is connected now. */
        Object connected();
    }

    /** Of an OPEN: the file. */
    interface Opener extends Argument {
        /** Opens it. */
        Object open(Sys sys);

        /** What a failure means to users. */
        Throwable located(SyscallException failure);
    }

    /** Of a RECEIVE. */
    @FunctionalInterface
    interface DatagramReceiver extends Argument {
        /** A datagram that was so long; its end is lost if the buffer had less room. */
        Object received(int length, @Nullable SocketAddress sender, boolean isTruncated);
    }

    /** Of a SEND_DESCRIPTORS. */
    @FunctionalInterface
    interface DescriptorSender extends Argument {
        /** What is sent; not to be changed. */
        int[] numbers();
    }

    /** Of a RECEIVE_DESCRIPTORS. */
    interface DescriptorReceiver extends Argument {
        /** How many are expected at most. */
        int most();

        /** Bytes and descriptors have come; -1 bytes at the end. */
        Object received(int bytes, List<Fd> descriptors);
    }
}
