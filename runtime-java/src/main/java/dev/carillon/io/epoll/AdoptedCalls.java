package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.POLLOUT;

import dev.carillon.io.backend.Target;
import dev.carillon.sys.Errno;
import dev.carillon.sys.call.DescriptorCalls;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.Sys;

/**
 * Reads and writes adopted descriptors that are no sockets. A process that has a copy of one, such as the shell that shares
 * a terminal, can clear its O_NONBLOCK for all at any time. A plain call would then hold up the loop.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl io.shared-flag]
final class AdoptedCalls {
    /** PIPE_BUF: a pipe that can be written to takes so many bytes without waiting. */
    private static final int SURE_TO_FIT = 4096;

    private final DescriptorCalls descriptors;
    private final PollSet poll;

    AdoptedCalls(Sys sys) {
        descriptors = sys.descriptors();
        poll = sys.pollSet(1);
    }

    long read(Target from, BufferVectors into) {
        int fd = from.number;
        if (mayAsk(from)) {
            long result = descriptors.readvNow(fd, into.iovecs(), into.count());
            if (result != -Errno.EOPNOTSUPP) {
                return result;
            }
            from.lacksNoWait = true;
        }
        if (from.kind != Target.Kind.ADOPTED_FILE && !isReady(fd, POLLIN)) {
            return -Errno.EAGAIN;
        }
        return descriptors.readv(fd, into.iovecs(), into.count());
    }

    long write(Target to, BufferVectors from) {
        int fd = to.number;
        if (mayAsk(to)) {
            long result = descriptors.writevNow(fd, from.iovecs(), from.count());
            if (result != -Errno.EOPNOTSUPP) {
                return result;
            }
            to.lacksNoWait = true;
        }
        if (to.kind != Target.Kind.ADOPTED_FILE && !descriptors.isNonBlocking(fd)) {
            if (!isReady(fd, POLLOUT)) {
                return -Errno.EAGAIN;
            }
            from.limit(SURE_TO_FIT);
        }
        return descriptors.writev(fd, from.iovecs(), from.count());
    }

    /** Not for a file: one that is not in memory would answer EAGAIN, and no event says when it is. */
    private static boolean mayAsk(Target adopted) {
        return adopted.kind != Target.Kind.ADOPTED_FILE && !adopted.lacksNoWait;
    }

    private boolean isReady(int fd, int events) {
        poll.set(0, fd, events);
        return poll.now() != 0;
    }
}
