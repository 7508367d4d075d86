package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;

import dev.carillon.sys.BufferScope;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.DescriptorCalls;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.UnwantedDescriptors;
import java.nio.ByteBuffer;

/**
 * Reads and writes whose memory is Java's buffers: direct ones as they are, heap ones through scratch memory, and so are
 * those whose memory another thread can free at any time.
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
    private final AdoptedCalls adoptedCalls;
    private boolean hasDrained;

    // Where the buffer of the call is.
    private long address;
    private int length;
    private boolean isCopied;

    BufferCalls(Sys sys, int scratchSize) {
        libc = sys.libc();
        descriptors = sys.descriptors();
        sockets = sys.sockets();
        scratch = NativeBytes.allocate(libc, scratchSize);
        vectors = new BufferVectors(libc, scratch);
        unwanted = sys.unwantedDescriptors();
        adoptedCalls = new AdoptedCalls(sys);
    }

    long read(Operation operation, Handle handle) {
        ByteBuffer[] buffers = operation.buffers;
        if (buffers != null) {
            return readInto(operation, buffers, handle);
        }
        ByteBuffer buffer = single(operation);
        place(operation, buffer, false);
        long count = read(operation, handle, address, Math.min(length, Allowance.OF_ONE));
        moved(buffer, count, true);
        return count;
    }

    private long read(Operation operation, Handle handle, long address, int most) {
        int fd = handle.number();
        hasDrained = false;
        if (handle instanceof StreamSocket socket && !socket.isUnix()) {
            long count = sockets.receive(fd, address, most, 0);
            hasDrained = count < most;
            return count;
        }
        if (handle.isSocket() || handle instanceof Descriptor) {
            vectors.one(address, most);
            return readVectors(handle);
        }
        return operation.position < 0
                ? descriptors.read(fd, address, most)
                : descriptors.readAt(fd, address, most, operation.position);
    }

    private long readVectors(Handle handle) {
        hasDrained = false;
        if (handle.isSocket()) {
            return receive(handle);
        }
        return handle instanceof Descriptor adopted
                ? adoptedCalls.read(adopted, vectors)
                : descriptors.readv(handle.number(), vectors.iovecs(), vectors.count());
    }

    /**
     * Reads from a socket. Descriptors that came along with the bytes of a Unix socket are dropped, as always with plain
     * reads, but they end the read before the bytes do; only recvmsg(2) tells.
     */
    private long receive(Handle handle) {
        long message = vectors.message();
        unwanted.prepare(vectors.header());
        long moved = sockets.receiveMessage(handle.number(), message, MSG_CMSG_CLOEXEC);
        boolean hadMore = moved >= 0 && unwanted.discard(vectors.header());
        // What an adopted socket keeps apart, a short read does not tell.
        hasDrained = moved >= 0 && !hadMore && moved < vectors.total() && handle instanceof StreamSocket;
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
        place(operation, buffer, true);
        long count = write(operation, handle, address, Math.min(length, Allowance.OF_ONE));
        moved(buffer, count, false);
        return count;
    }

    private long write(Operation operation, Handle handle, long address, int most) {
        int fd = handle.number();
        if (handle.isSocket()) {
            return sockets.send(fd, address, most);
        }
        if (handle instanceof Descriptor) {
            vectors.one(address, most);
            return writeVectors(handle);
        }
        return operation.position < 0
                ? descriptors.write(fd, address, most)
                : descriptors.writeAt(fd, address, most, operation.position);
    }

    private long writeVectors(Handle handle) {
        if (handle.isSocket()) {
            return sockets.sendMessage(handle.number(), vectors.message());
        }
        return handle instanceof Descriptor adopted
                ? adoptedCalls.write(adopted, vectors)
                : descriptors.writev(handle.number(), vectors.iovecs(), vectors.count());
    }

    /**
     * Has the next call use the memory of a buffer, or scratch memory in its place: {@link #address}, {@link #length}.
     *
     * @param writing whether its content is wanted
     */
    void place(Operation operation, ByteBuffer buffer, boolean writing) {
        Buffers.ensureStillRemaining(buffer.hasRemaining());
        long inPlace = inPlace(operation, buffer, libc);
        isCopied = inPlace == 0;
        if (!isCopied) {
            address = inPlace + buffer.position();
            length = buffer.remaining();
            return;
        }
        address = scratch.address();
        length = Math.min(buffer.remaining(), scratch.bytes().capacity());
        if (writing) {
            scratch.bytes().put(0, buffer, buffer.position(), length);
        }
    }

    /** Where a buffer's index 0 is, or 0 if it is not for the kernel and has to be copied. */
    // r[impl io.memory]
    static long inPlace(Operation operation, ByteBuffer buffer, LibC libc) {
        if (!buffer.isDirect()) {
            return 0;
        }
        BufferScope.ensureUsable(buffer);
        return operation.bufferAddress.of(buffer, libc);
    }

    /** Where the call reads from or writes to. */
    long address() {
        return address;
    }

    /** How many bytes of the buffer, or how much room in it, the call can use. */
    int length() {
        return length;
    }

    /** Moves the position of the buffer that {@link #place} was given by what a call has moved. */
    void moved(ByteBuffer buffer, long count, boolean reading) {
        if (count <= 0) {
            return;
        }
        Buffers.ensureFits(buffer, (int) count);
        if (reading && isCopied) {
            buffer.put(buffer.position(), scratch.bytes(), 0, (int) count);
        }
        buffer.position(buffer.position() + (int) count);
    }

    private long readInto(Operation operation, ByteBuffer[] buffers, Handle handle) {
        vectors.all(buffers, firstWithRoom(operation, buffers), false);
        Buffers.ensureStillRemaining(vectors.total() > 0);
        long moved = readVectors(handle);
        vectors.moved(buffers, moved, true);
        return moved;
    }

    private long writeFrom(Operation operation, ByteBuffer[] buffers, Handle handle) {
        vectors.all(buffers, firstWithRoom(operation, buffers), true);
        Buffers.ensureStillRemaining(vectors.total() > 0);
        long moved = writeVectors(handle);
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
        return buffers == null ? single(operation).hasRemaining() : firstWithRoom(operation, buffers) < buffers.length;
    }

    NativeBytes scratch() {
        return scratch;
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
