package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.MSG_CMSG_CLOEXEC;
import static dev.carillon.sys.layout.Constants.MSG_CTRUNC;
import static dev.carillon.sys.layout.Constants.SCM_RIGHTS;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.MessageLayout.Cmsghdr;
import dev.carillon.sys.layout.MessageLayout.Iovec;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a message that carries descriptors over a Unix socket, beside at least one byte.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> sent descriptors stay the sender's; received ones belong to the caller.
 *
 * <p><b>See:</b> SCM_RIGHTS in unix(7).
 */
public final class DescriptorMessage {
    /** The kernel passes no more with one message. */
    public static final int MAX = 253;

    private static final int IOVEC = Msghdr.SIZE;
    private static final int CONTROL = IOVEC + Iovec.SIZE;

    private final LibC libc;
    private final SocketCalls sockets;
    private final int room;
    private final ByteBuffer memory;
    private final long address;
    private final List<Fd> received = new ArrayList<>();
    private @Nullable SyscallException failure;

    DescriptorMessage(LibC libc, SocketCalls sockets, int room) {
        if (room < 1 || room > MAX) {
            throw new IllegalArgumentException("room=" + room + ": 1 to " + MAX + " descriptors");
        }
        this.libc = libc;
        this.sockets = sockets;
        this.room = room;
        // For all that can come: what the kernel finds no room for it closes itself, in this thread, and that may
        // block.
        memory = ByteBuffer.allocateDirect(CONTROL + Cmsghdr.space(MAX * Integer.BYTES))
                .order(ByteOrder.nativeOrder());
        address = libc.addressOf(memory);
    }

    /**
     * Sends bytes and descriptors together.
     *
     * @param numbers descriptors that are open until this returns
     * @return the bytes taken, with all descriptors if there is one at least, or as {@link SocketCalls#send}
     */
    public long send(int socket, long buffer, long length, int... numbers) {
        if (numbers.length < 1 || numbers.length > room || length < 1) {
            throw new IllegalArgumentException("numbers=" + numbers.length + ", length=" + length + ": 1 to " + room
                    + " descriptors go with at least one byte");
        }
        int data = numbers.length * Integer.BYTES;
        prepare(buffer, length, Cmsghdr.space(data));
        memory.putLong(CONTROL + Cmsghdr.CMSG_LEN, Cmsghdr.SIZE + data);
        memory.putInt(CONTROL + Cmsghdr.CMSG_LEVEL, SOL_SOCKET);
        memory.putInt(CONTROL + Cmsghdr.CMSG_TYPE, SCM_RIGHTS);
        for (int i = 0; i < numbers.length; i++) {
            memory.putInt(CONTROL + Cmsghdr.SIZE + i * Integer.BYTES, numbers[i]);
        }
        try {
            return sockets.sendMessage(socket, address);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /**
     * Receives bytes, and descriptors that came with them, not to be inherited, into {@link #takeDescriptors}.
     *
     * @return the bytes, 0 at the end, or as {@link SocketCalls#receive}
     */
    public long receive(int socket, long buffer, long length) {
        prepare(buffer, length, Cmsghdr.space(MAX * Integer.BYTES));
        memory.putLong(CONTROL + Cmsghdr.CMSG_LEN, 0);
        long result = sockets.receiveMessage(socket, address, MSG_CMSG_CLOEXEC);
        if (result >= 0) {
            collect();
        }
        return result;
    }

    private void prepare(long buffer, long length, int controlBytes) {
        memory.putLong(Msghdr.MSG_NAME, 0);
        memory.putInt(Msghdr.MSG_NAMELEN, 0);
        memory.putLong(Msghdr.MSG_IOV, address + IOVEC);
        memory.putLong(Msghdr.MSG_IOVLEN, 1);
        memory.putLong(Msghdr.MSG_CONTROL, address + CONTROL);
        memory.putLong(Msghdr.MSG_CONTROLLEN, controlBytes);
        memory.putInt(Msghdr.MSG_FLAGS, 0);
        Iovec.put(memory, IOVEC, 0, buffer, length);
    }

    // r[impl sys.passing]
    private void collect() {
        long controlBytes = memory.getLong(Msghdr.MSG_CONTROLLEN);
        boolean rights = controlBytes >= Cmsghdr.SIZE
                && memory.getInt(CONTROL + Cmsghdr.CMSG_LEVEL) == SOL_SOCKET
                && memory.getInt(CONTROL + Cmsghdr.CMSG_TYPE) == SCM_RIGHTS;
        long data = rights ? memory.getLong(CONTROL + Cmsghdr.CMSG_LEN) - Cmsghdr.SIZE : 0;
        own((int) data / Integer.BYTES);
        boolean cut = (memory.getInt(Msghdr.MSG_FLAGS) & MSG_CTRUNC) != 0;
        if (cut || received.size() > room) {
            take().forEach(Fd::closeInBackground);
            failure = cut
                    ? Failure.of("recvmsg", -Errno.EMFILE, "room=" + room)
                    : new SyscallException(
                            "recvmsg",
                            Errno.EMFILE,
                            Errno.name(Errno.EMFILE),
                            "more descriptors came than room=" + room + ", and all were closed; expect more of them");
        }
    }

    /** All or none: what there is no memory for is closed, with what came before it. */
    private void own(int count) {
        int owned = 0;
        try {
            for (; owned < count; owned++) {
                received.add(Fd.owning(libc, number(owned)));
            }
        } catch (OutOfMemoryError full) {
            for (int i = owned; i < count; i++) {
                libc.close(number(i));
            }
            received.forEach(Fd::close);
            received.clear();
            throw full;
        }
    }

    private int number(int index) {
        return memory.getInt(CONTROL + Cmsghdr.SIZE + index * Integer.BYTES);
    }

    /**
     * The descriptors received since the last call, in order; the caller's from now on.
     *
     * @throws dev.carillon.SyscallException EMFILE if not all descriptors could be taken; those that came are closed, and
     *     the bytes are there
     */
    public List<Fd> takeDescriptors() {
        SyscallException failed = failure;
        if (failed != null) {
            failure = null;
            throw failed;
        }
        return take();
    }

    private List<Fd> take() {
        List<Fd> taken = List.copyOf(received);
        received.clear();
        return taken;
    }
}
