package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.MSG_CTRUNC;

import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.DescriptorCalls;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.MessageLayout.Iovec;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
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
    /** Beyond it, a transfer is short, which callers have to reckon with anyway. */
    private static final int MOST_BUFFERS = 64;

    private static final int IOVECS = Msghdr.SIZE;

    private final LibC libc;
    private final DescriptorCalls descriptors;
    private final SocketCalls sockets;
    private final NativeBytes scratch;
    private final NativeBytes vectors;
    private boolean hasDrained;

    BufferCalls(Sys sys, int scratchSize) {
        libc = sys.libc();
        descriptors = sys.descriptors();
        sockets = sys.sockets();
        scratch = NativeBytes.allocate(libc, scratchSize);
        vectors = NativeBytes.allocate(libc, Msghdr.SIZE + MOST_BUFFERS * Iovec.SIZE);
    }

    long read(Operation operation, Handle handle) {
        ByteBuffer[] buffers = operation.buffers;
        if (buffers != null) {
            return readInto(buffers, handle);
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
        int fd = handle.number();
        if (handle instanceof StreamSocket socket && socket.isUnix()) {
            Iovec.put(vectors.bytes(), IOVECS, 0, address, most);
            return receive(fd, 1, most);
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
    private long receive(int fd, int count, long most) {
        long moved = sockets.receiveMessage(fd, message(count), 0);
        hasDrained = moved < most && (vectors.bytes().getInt(Msghdr.MSG_FLAGS) & MSG_CTRUNC) == 0;
        return moved;
    }

    /** Whether the last read took all that was there, as far as a short read from a stream tells. */
    boolean hasDrained() {
        return hasDrained;
    }

    long write(Operation operation, Handle handle) {
        ByteBuffer[] buffers = operation.buffers;
        if (buffers != null) {
            return writeFrom(buffers, handle);
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

    private long readInto(ByteBuffer[] buffers, Handle handle) {
        long total = 0;
        int used = 0;
        int count = 0;
        for (int i = 0; i < buffers.length && count < MOST_BUFFERS; i++) {
            ByteBuffer buffer = buffers[i];
            int most = buffer.isDirect() ? buffer.remaining() : Math.min(buffer.remaining(), scratchSize() - used);
            used += vector(count++, buffer, most, used);
            total += most;
            if (most < buffer.remaining()) {
                break;
            }
        }
        long moved;
        if (handle instanceof StreamSocket socket && socket.isUnix()) {
            moved = receive(handle.number(), count, total);
        } else {
            moved = descriptors.readv(handle.number(), vectors.address() + IOVECS, count);
            hasDrained = handle instanceof StreamSocket && moved < total;
        }
        take(buffers, moved, true);
        return moved;
    }

    private long writeFrom(ByteBuffer[] buffers, Handle handle) {
        int used = 0;
        int count = 0;
        for (int i = 0; i < buffers.length && count < MOST_BUFFERS; i++) {
            ByteBuffer buffer = buffers[i];
            int most = buffer.isDirect() ? buffer.remaining() : Math.min(buffer.remaining(), scratchSize() - used);
            if (!buffer.isDirect()) {
                scratch.bytes().put(used, buffer, buffer.position(), most);
            }
            used += vector(count++, buffer, most, used);
            if (most < buffer.remaining()) {
                break;
            }
        }
        long moved = handle.isSocket()
                ? sockets.sendMessage(handle.number(), message(count))
                : descriptors.writev(handle.number(), vectors.address() + IOVECS, count);
        take(buffers, moved, false);
        return moved;
    }

    /** One struct iovec; returns how much scratch memory it stands for. */
    private int vector(int index, ByteBuffer buffer, int most, int scratchUsed) {
        boolean direct = buffer.isDirect();
        long address = direct ? libc.addressOf(buffer) + buffer.position() : scratch.address() + scratchUsed;
        Iovec.put(vectors.bytes(), IOVECS, index, address, most);
        return direct ? 0 : most;
    }

    private long message(int count) {
        ByteBuffer header = vectors.bytes();
        header.putLong(Msghdr.MSG_NAME, 0);
        header.putInt(Msghdr.MSG_NAMELEN, 0);
        header.putLong(Msghdr.MSG_IOV, vectors.address() + IOVECS);
        header.putLong(Msghdr.MSG_IOVLEN, count);
        header.putLong(Msghdr.MSG_CONTROL, 0);
        header.putLong(Msghdr.MSG_CONTROLLEN, 0);
        header.putInt(Msghdr.MSG_FLAGS, 0);
        return vectors.address();
    }

    private void take(ByteBuffer[] buffers, long moved, boolean filling) {
        int used = 0;
        long left = moved;
        for (int i = 0; i < buffers.length && left > 0; i++) {
            ByteBuffer buffer = buffers[i];
            int count = (int) Math.min(left, buffer.remaining());
            left -= count;
            if (filling && !buffer.isDirect()) {
                copyBack(buffer, used, count);
                used += count;
            } else {
                advance(buffer, count);
            }
        }
    }

    private void copyBack(ByteBuffer buffer, int from, int count) {
        buffer.put(buffer.position(), scratch.bytes(), from, count);
        advance(buffer, count);
    }

    private static void advance(ByteBuffer buffer, int count) {
        buffer.position(buffer.position() + count);
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
    }
}
