package dev.carillon.io;

import dev.carillon.loop.EventLoop;

/**
 * A socket that the service manager has opened for this process, see {@link SocketActivation}. It can be taken over once in a process:
 * after that its number is the handle's, and later anybody's.
 *
 * @param name the one that the manager has given it (FileDescriptorName= of systemd), or "unknown"
 * @param fd its number
 */
public record ActivatedSocket(String name, int fd) {
    /** Takes it over as a listener, as {@link ServerSocket#adopt} does. */
    public ServerSocket listen(EventLoop loop) {
        return SocketActivation.once(fd, () -> ServerSocket.adopt(loop, fd));
    }

    /** Takes it over as a socket for datagrams, as {@link DatagramSocket#adopt} does. */
    public DatagramSocket datagrams(EventLoop loop) {
        return SocketActivation.once(fd, () -> DatagramSocket.adopt(loop, fd));
    }

    /** Takes it over as a connection, as {@link StreamSocket#adopt} does: the manager has accepted it (Accept=yes). */
    public StreamSocket connection(EventLoop loop) {
        return SocketActivation.once(fd, () -> StreamSocket.adopt(loop, fd));
    }
}
