package dev.carillon.shm.doorbell;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;
import static dev.carillon.sys.layout.Constants.MSG_DONTWAIT;

import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.UnwantedDescriptors;
import dev.carillon.sys.layout.MessageLayout.Iovec;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
import java.nio.ByteBuffer;

/**
 * Reads from an end to which somebody may have passed descriptors, which are closed elsewhere: the last close of a socket
 * with SO_LINGER takes as long as its sender likes.
 *
 * <p><b>Threading:</b> the reader's.
 */
final class BellInput {
    private final SocketCalls sockets;
    private final NativeBytes message;
    private final UnwantedDescriptors unwanted;

    BellInput(Sys sys) {
        sockets = sys.sockets();
        message = NativeBytes.allocate(sys.libc(), Msghdr.SIZE + Iovec.SIZE);
        unwanted = sys.unwantedDescriptors();
    }

    /** As recv(2) that never waits. A read ends behind a message with descriptors, so a short one need not be the last. */
    long receive(int number, long buffer, int length) {
        ByteBuffer header = message.bytes();
        header.putLong(Msghdr.MSG_NAME, 0);
        header.putInt(Msghdr.MSG_NAMELEN, 0);
        header.putLong(Msghdr.MSG_IOV, message.address() + Msghdr.SIZE);
        header.putLong(Msghdr.MSG_IOVLEN, 1);
        header.putInt(Msghdr.MSG_FLAGS, 0);
        Iovec.put(header, Msghdr.SIZE, 0, buffer, length);
        unwanted.prepare(header);
        long result = sockets.receiveMessage(number, message.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (result >= 0) {
            unwanted.discard(header);
        }
        return result;
    }
}
