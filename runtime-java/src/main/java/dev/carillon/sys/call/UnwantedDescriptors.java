package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.MSG_CTRUNC;
import static dev.carillon.sys.layout.Constants.SCM_RIGHTS;
import static dev.carillon.sys.layout.Constants.SOL_SOCKET;
import static dev.carillon.sys.layout.Constants.SO_LINGER;

import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.layout.MessageLayout.Cmsghdr;
import dev.carillon.sys.layout.MessageLayout.Msghdr;
import java.nio.ByteBuffer;

/**
 * Takes descriptors that come over a Unix socket although none are wanted, and closes them on another thread.
 *
 * <p>Without room for them the kernel would drop them itself, in the thread that receives, and the last close of a
 * socket can last as long as its sender wishes.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
// r[impl sys.passing] r[impl sys.close-elsewhere]
public final class UnwantedDescriptors implements AutoCloseable {
    /** The kernel's SCM_PIDFD, newer than most headers: an adopted socket may have asked for it. */
    private static final int SCM_PIDFD = 4;

    private static final int CAPACITY =
            Cmsghdr.space(DescriptorMessage.MAX * Integer.BYTES) + Cmsghdr.space(Integer.BYTES);
    private static final int LINGER_SIZE = 2 * Integer.BYTES;

    private final LibC libc;

    /** Control messages, and behind them a struct linger that says no. */
    private final NativeBytes memory;

    UnwantedDescriptors(LibC libc) {
        this.libc = libc;
        memory = NativeBytes.allocate(libc, CAPACITY + LINGER_SIZE);
    }

    /** Gives a struct msghdr room for all that can come; to be received with MSG_CMSG_CLOEXEC. */
    public void prepare(ByteBuffer msghdr) {
        msghdr.putLong(Msghdr.MSG_CONTROL, memory.address());
        msghdr.putLong(Msghdr.MSG_CONTROLLEN, CAPACITY);
    }

    /** Closes what came with a message; whether something came. */
    public boolean discard(ByteBuffer msghdr) {
        int length = (int) msghdr.getLong(Msghdr.MSG_CONTROLLEN);
        boolean cut = (msghdr.getInt(Msghdr.MSG_FLAGS) & MSG_CTRUNC) != 0;
        if (length == 0) {
            return cut;
        }
        ByteBuffer control = memory.bytes();
        int size;
        for (int at = 0; at + Cmsghdr.SIZE <= length; at += Cmsghdr.space(size)) {
            size = (int) control.getLong(at + Cmsghdr.CMSG_LEN) - Cmsghdr.SIZE;
            int type = control.getInt(at + Cmsghdr.CMSG_TYPE);
            if (control.getInt(at + Cmsghdr.CMSG_LEVEL) == SOL_SOCKET && (type == SCM_RIGHTS || type == SCM_PIDFD)) {
                for (int i = 0; i < size; i += Integer.BYTES) {
                    discard(control.getInt(at + Cmsghdr.SIZE + i));
                }
            }
        }
        return true;
    }

    private void discard(int number) {
        // Or a sender could keep all threads that close busy. What is no socket has no such option.
        libc.setsockopt(number, SOL_SOCKET, SO_LINGER, memory.address() + CAPACITY, LINGER_SIZE);
        Fd.opened(libc, number).closeInBackground();
    }

    @Override
    public void close() {
        memory.close();
    }
}
