package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;
import static dev.carillon.sys.layout.Constants.MSG_PEEK;
import static dev.carillon.sys.layout.Constants.MSG_TRUNC;

import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.UnwantedDescriptors;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
import java.nio.ByteBuffer;

/**
 * Sends and receives datagrams whole: a heap buffer that is larger than the loop's scratch memory gets memory of its own.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.buffers]
final class DatagramCalls implements AutoCloseable {
    private final LibC libc;
    private final SocketCalls sockets;
    private final NativeBytes scratch;
    private final BufferVectors vector;
    private final UnwantedDescriptors unwanted;

    DatagramCalls(Sys sys, NativeBytes scratch) {
        libc = sys.libc();
        sockets = sys.sockets();
        this.scratch = scratch;
        vector = new BufferVectors(libc, scratch);
        unwanted = sys.unwantedDescriptors();
    }

    /**
     * Receives a datagram, and the address of its sender, into memory with the length of the address at an offset.
     *
     * @return how long the datagram was, also where the buffer has less room, or -errno
     */
    long receive(Request request, Target socket, NativeBytes sender, int lengthAt) {
        ByteBuffer buffer = request.single();
        int room = buffer.remaining();
        long inPlace = BufferCalls.inPlace(request, buffer, libc);
        boolean isCopied = inPlace == 0;
        try (NativeBytes memory = isCopied ? memoryFor(buffer, socket) : scratch) {
            long to = isCopied ? memory.address() : inPlace + buffer.position();
            int most = isCopied ? Math.min(room, memory.bytes().capacity()) : room;
            long count = socket.kind == Target.Kind.UNIX_DATAGRAM
                    ? receiveMessage(socket.number, to, most, sender, lengthAt)
                    : sockets.receiveFrom(
                            socket.number, to, most, MSG_TRUNC, sender.address(), sender.address() + lengthAt);
            if (count > 0) {
                int taken = (int) Math.min(count, room);
                if (isCopied) {
                    buffer.put(buffer.position(), memory.bytes(), 0, taken);
                }
                buffer.position(buffer.position() + taken);
            }
            return count;
        }
    }

    /** Scratch memory, or memory of its own for the next datagram where that is longer and would lose its end. */
    private NativeBytes memoryFor(ByteBuffer buffer, Target socket) {
        int scratchSize = scratch.bytes().capacity();
        if (buffer.remaining() <= scratchSize) {
            return scratch;
        }
        long next = sockets.receive(socket.number, scratch.address(), 0, MSG_PEEK | MSG_TRUNC);
        return next <= scratchSize ? scratch : NativeBytes.allocate(libc, (int) Math.min(next, buffer.remaining()));
    }

    /** As recvfrom(2) does, but drops descriptors that came along. */
    private long receiveMessage(int fd, long to, int most, NativeBytes sender, int lengthAt) {
        vector.one(to, most);
        long address = vector.message();
        ByteBuffer header = vector.header();
        header.putLong(Msghdr.MSG_NAME, sender.address());
        header.putInt(Msghdr.MSG_NAMELEN, sender.bytes().getInt(lengthAt));
        unwanted.prepare(header);
        long count = sockets.receiveMessage(fd, address, MSG_CMSG_CLOEXEC | MSG_TRUNC);
        if (count >= 0) {
            unwanted.discard(header);
            sender.bytes().putInt(lengthAt, header.getInt(Msghdr.MSG_NAMELEN));
        }
        return count;
    }

    /** Sends what remains in the buffer, to an address if there is one. */
    long send(Request request, int fd, long address, int addressLength) {
        ByteBuffer buffer = request.single();
        int size = buffer.remaining();
        long inPlace = BufferCalls.inPlace(request, buffer, libc);
        boolean isCopied = inPlace == 0;
        boolean fits = !isCopied || size <= scratch.bytes().capacity();
        try (NativeBytes memory = fits ? scratch : NativeBytes.allocate(libc, size)) {
            if (isCopied) {
                memory.bytes().put(0, buffer, buffer.position(), size);
            }
            long from = isCopied ? memory.address() : inPlace + buffer.position();
            long count = sockets.sendTo(fd, from, size, address, addressLength);
            if (count > 0) {
                buffer.position(buffer.position() + (int) count);
            }
            return count;
        }
    }

    @Override
    public void close() {
        vector.close();
        unwanted.close();
    }
}
