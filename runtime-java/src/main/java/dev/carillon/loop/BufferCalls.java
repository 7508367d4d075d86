package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;

import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.DescriptorCalls;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.UnwantedDescriptors;
import java.nio.ByteBuffer;

/**
 * Reads and writes whose memory is Java's buffers: direct ones as they are, heap ones through scratch memory.
 *
 * <p>All of them return bytes, 0 at the end of what is read, or -errno, and move the buffers' positions by what was
 * taken.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.buffers]
final class BufferCalls implements AutoCloseable {
    private final LibC libc;
    private final DescriptorCalls descriptors;
    private final SocketCalls sockets;
    private final NativeBytes scratch;
    private final BufferVectors vectors;
    private final UnwantedDescriptors unwanted;
    private boolean hasDrained;

    BufferCalls(Sys sys, int scratchSize) {
        libc = sys.libc();
        descriptors = sys.descriptors();
        sockets = sys.sockets();
        scratch = NativeBytes.allocate(libc, scratchSize);
        vectors = new BufferVectors(libc, scratch);
        unwanted = sys.unwantedDescriptors();
    }

    long read(Operation operation, Handle handle) {
        ByteBuffer[] buffers = operation.buffers;
        if (buffers != null) {
            return readInto(operation, buffers, handle);
        }
        ByteBuffer buffer = single(operation);
        boolean direct = buffer.isDirect();
        int most = direct ? buffer.remaining() : Math.min(buffer.remaining(), scratchSize());
        long address = direct ? operation.addressOf(buffer, libc) + buffer.position() : scratch.address();
        long count = read(operation, handle, address, most);
        if (count > 0) {
            if (!direct) {
                copyBack(buffer, 0, (int) count);
            } else {
                advance(buffer, (int) count);
            }
        }
        return count;
    }

    private long read(Operation operation, Handle handle, long address, int most) {
        ensureRoom(most);
        int fd = handle.number();
        if (isUnixStream(handle)) {
            vectors.one(address, most);
            return receive(fd);
        }
        long count = operation.position < 0
                ? descriptors.read(fd, address, most)
                : descriptors.readAt(fd, address, most, operation.position);
        hasDrained = handle instanceof StreamSocket && count < most;
        return count;
    }

    /**
     * Reads from a Unix socket. Descriptors that came along are dropped, as always with plain reads, but they end the
     * read before the bytes do; only recvmsg(2) tells.
     */
    private long receive(int fd) {
        long header = vectors.message();
        unwanted.prepare(vectors.header());
        long moved = sockets.receiveMessage(fd, header, MSG_CMSG_CLOEXEC);
        hasDrained = moved >= 0 && !unwanted.discard(vectors.header()) && moved < vectors.total();
        return moved;
    }

    /** Whether the last read took all that was there, as far as a short read from a stream tells. */
    boolean hasDrained() {
        return hasDrained;
    }

    long write(Operation operation, Handle handle) {
        ByteBuffer[] buffers = operation.buffers;
        if (buffers != null) {
            return writeFrom(operation, buffers, handle);
        }
        ByteBuffer buffer = single(operation);
        int most = prepare(buffer);
        long count = write(operation, handle, addressOfPrepared(operation, buffer), most);
        if (count > 0) {
            advance(buffer, (int) count);
        }
        return count;
    }

    private long write(Operation operation, Handle handle, long address, int most) {
        int fd = handle.number();
        if (handle.isSocket()) {
            return sockets.send(fd, address, most);
        }
        return operation.position < 0
                ? descriptors.write(fd, address, most)
                : descriptors.writeAt(fd, address, most, operation.position);
    }

    /** Has the bytes of a buffer in native memory; returns how many of them. */
    int prepare(ByteBuffer buffer) {
        if (buffer.isDirect()) {
            return buffer.remaining();
        }
        int most = Math.min(buffer.remaining(), scratchSize());
        scratch.bytes().put(0, buffer, buffer.position(), most);
        return most;
    }

    long addressOfPrepared(Operation operation, ByteBuffer buffer) {
        return buffer.isDirect() ? operation.addressOf(buffer, libc) + buffer.position() : scratch.address();
    }

    /** Where a buffer is to be filled, and how far it can be in one call. */
    int room(ByteBuffer buffer) {
        return buffer.isDirect() ? buffer.remaining() : Math.min(buffer.remaining(), scratchSize());
    }

    /** After something was written to {@link #addressOfPrepared}. */
    void filled(ByteBuffer buffer, int count) {
        if (buffer.isDirect()) {
            advance(buffer, count);
        } else {
            copyBack(buffer, 0, count);
        }
    }

    private long readInto(Operation operation, ByteBuffer[] buffers, Handle handle) {
        vectors.all(buffers, firstWithRoom(operation, buffers), false);
        ensureRoom(vectors.total());
        long moved;
        if (isUnixStream(handle)) {
            moved = receive(handle.number());
        } else {
            moved = descriptors.readv(handle.number(), vectors.iovecs(), vectors.count());
            hasDrained = handle instanceof StreamSocket && moved < vectors.total();
        }
        vectors.moved(buffers, moved, true);
        return moved;
    }

    private long writeFrom(Operation operation, ByteBuffer[] buffers, Handle handle) {
        vectors.all(buffers, firstWithRoom(operation, buffers), true);
        long moved = handle.isSocket()
                ? sockets.sendMessage(handle.number(), vectors.message())
                : descriptors.writev(handle.number(), vectors.iovecs(), vectors.count());
        vectors.moved(buffers, moved, false);
        return moved;
    }

    /** Buffers before it are done with; the operation remembers where that is. */
    private static int firstWithRoom(Operation operation, ByteBuffer[] buffers) {
        int first = operation.phase;
        while (first < buffers.length && !buffers[first].hasRemaining()) {
            first++;
        }
        operation.phase = first;
        return first;
    }

    static boolean hasRemaining(Operation operation) {
        ByteBuffer[] buffers = operation.buffers;
        return buffers == null
                ? single(operation).hasRemaining()
                : firstWithRoom(operation, buffers) < buffers.length;
    }

    private static boolean isUnixStream(Handle handle) {
        return handle instanceof StreamSocket socket && socket.isUnix();
    }

    /** The kernel would read nothing, which looks like the end. */
    private static void ensureRoom(int most) {
        if (most == 0) {
            throw new IllegalStateException("there is no room in the buffer any more, though there was when the read was"
                    + " started: a buffer belongs to one operation until that is told");
        }
    }

    private void copyBack(ByteBuffer buffer, int from, int count) {
        buffer.put(buffer.position(), scratch.bytes(), from, count);
        advance(buffer, count);
    }

    private static void advance(ByteBuffer buffer, int count) {
        buffer.position(buffer.position() + count);
    }

    NativeBytes scratch() {
        return scratch;
    }

    private int scratchSize() {
        return scratch.bytes().capacity();
    }

    static ByteBuffer single(Operation operation) {
        ByteBuffer buffer = operation.buffer;
        if (buffer == null) {
            throw new IllegalStateException("buffer=null: " + operation.kind + " was started without one");
        }
        return buffer;
    }

    @Override
    public void close() {
        scratch.close();
        vectors.close();
        unwanted.close();
    }
}
