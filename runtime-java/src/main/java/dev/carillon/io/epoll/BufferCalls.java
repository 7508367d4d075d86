package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;

import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.sys.BufferScope;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.DescriptorCalls;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.UnwantedDescriptors;
import java.nio.ByteBuffer;

/**
 * Reads into and writes from Java's buffers. The kernel gets direct buffers as they are. Heap buffers, and those whose
 * memory another thread can free at any time, pass through scratch memory.
 *
 * <p>All calls return bytes, 0 at the end of the input, or -errno, and move the positions of the buffers by what was moved.
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

    // The place of the buffer of the call.
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

    long read(Request request, Target target) {
        ByteBuffer[] buffers = request.buffers;
        if (buffers != null) {
            return readInto(request, buffers, target);
        }
        ByteBuffer buffer = request.single();
        place(request, buffer, false);
        long count = read(request, target, address, Math.min(length, Allowance.OF_ONE));
        moved(buffer, count, true);
        return count;
    }

    private long read(Request request, Target target, long address, int most) {
        int fd = target.number;
        hasDrained = false;
        if (target.kind == Target.Kind.TCP) {
            long count = sockets.receive(fd, address, most, 0);
            hasDrained = count < most;
            return count;
        }
        if (target.kind.isSocket() || target.kind.isAdopted()) {
            vectors.one(address, most);
            return readVectors(target);
        }
        return request.position < 0
                ? descriptors.read(fd, address, most)
                : descriptors.readAt(fd, address, most, request.position);
    }

    private long readVectors(Target target) {
        hasDrained = false;
        if (target.kind.isSocket()) {
            return receive(target);
        }
        return target.kind.isAdopted()
                ? adoptedCalls.read(target, vectors)
                : descriptors.readv(target.number, vectors.iovecs(), vectors.count());
    }

    /**
     * Reads from a socket. The kernel drops descriptors that came along with the bytes of a Unix socket, as always with
     * plain reads. But they end the read before the bytes do, and only recvmsg(2) shows that.
     */
    private long receive(Target target) {
        long message = vectors.message();
        unwanted.prepare(vectors.header());
        long moved = sockets.receiveMessage(target.number, message, MSG_CMSG_CLOEXEC);
        boolean hadMore = moved >= 0 && unwanted.discard(vectors.header());
        // A short read of an adopted socket does not show what the kernel keeps apart.
        hasDrained = moved >= 0 && !hadMore && moved < vectors.total() && target.kind.isStream();
        return moved;
    }

    /** Whether the last read took all that was there, as far as a short read from a stream shows. */
    boolean hasDrained() {
        return hasDrained;
    }

    long write(Request request, Target target) {
        ByteBuffer[] buffers = request.buffers;
        if (buffers != null) {
            return writeFrom(request, buffers, target);
        }
        ByteBuffer buffer = request.single();
        place(request, buffer, true);
        long count = write(request, target, address, Math.min(length, Allowance.OF_ONE));
        moved(buffer, count, false);
        return count;
    }

    private long write(Request request, Target target, long address, int most) {
        int fd = target.number;
        if (target.kind.isSocket()) {
            return sockets.send(fd, address, most);
        }
        if (target.kind.isAdopted()) {
            vectors.one(address, most);
            return writeVectors(target);
        }
        return request.position < 0
                ? descriptors.write(fd, address, most)
                : descriptors.writeAt(fd, address, most, request.position);
    }

    private long writeVectors(Target target) {
        if (target.kind.isSocket()) {
            return sockets.sendMessage(target.number, vectors.message());
        }
        return target.kind.isAdopted()
                ? adoptedCalls.write(target, vectors)
                : descriptors.writev(target.number, vectors.iovecs(), vectors.count());
    }

    /**
     * Has the next call use the memory of a buffer, or scratch memory in its place: {@link #address}, {@link #length}.
     *
     * @param writing whether the call needs its content
     */
    void place(Request request, ByteBuffer buffer, boolean writing) {
        Buffers.ensureStillRemaining(buffer.hasRemaining());
        long inPlace = inPlace(request, buffer, libc);
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

    /** The address of a buffer's index 0, or 0 if the kernel must not have it and it has to be copied. */
    // r[impl io.memory]
    static long inPlace(Request request, ByteBuffer buffer, LibC libc) {
        if (!buffer.isDirect()) {
            return 0;
        }
        BufferScope.ensureUsable(buffer);
        return request.bufferAddress.of(buffer, libc);
    }

    /** The address that the call reads from or writes to. */
    long address() {
        return address;
    }

    /** How many bytes of the buffer, or how much room in it, the call can use. */
    int length() {
        return length;
    }

    /** Moves the position of the buffer that {@link #place} got, by what a call has moved. */
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

    private long readInto(Request request, ByteBuffer[] buffers, Target target) {
        vectors.all(buffers, request.firstWithRoom(buffers), false);
        Buffers.ensureStillRemaining(vectors.total() > 0);
        long moved = readVectors(target);
        vectors.moved(buffers, moved, true);
        return moved;
    }

    private long writeFrom(Request request, ByteBuffer[] buffers, Target target) {
        vectors.all(buffers, request.firstWithRoom(buffers), true);
        Buffers.ensureStillRemaining(vectors.total() > 0);
        long moved = writeVectors(target);
        vectors.moved(buffers, moved, false);
        return moved;
    }

    NativeBytes scratch() {
        return scratch;
    }

    @Override
    public void close() {
        scratch.close();
        vectors.close();
        unwanted.close();
    }
}
