package dev.carillon.shm;

import dev.carillon.PeerCredentials;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.AttachMessage.Verdict;
import dev.carillon.sys.Deadlines;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A guest's connection to the socket of a host, from the hello to the descriptors.
 *
 * <p><b>Threading:</b> one thread, which blocks.
 */
final class HostConnection implements AutoCloseable {
    private static final int DESCRIPTORS = 2;

    private final Path directory;
    private final StreamSocket socket;
    private final long deadline;
    private final ByteBuffer answer =
            ByteBuffer.allocate(AttachMessage.ANSWER_BYTES).order(ByteOrder.nativeOrder());

    private HostConnection(Path directory, StreamSocket socket, long deadline) {
        this.directory = directory;
        this.socket = socket;
        this.deadline = deadline;
    }

    /** Connects to the host of a directory. */
    static HostConnection to(Path directory, Duration atMost, long deadline) throws IOException, InterruptedException {
        var address = UnixDomainSocketAddress.of(directory.resolve(HostFolder.SOCKET));
        var connecting = StreamSocket.connect(EventLoop.shared(), address, atMost);
        boolean connected = false;
        try {
            StreamSocket socket = await(connecting, directory, deadline);
            connected = true;
            return new HostConnection(directory, socket, deadline);
        } finally {
            if (!connected) {
                connecting.cancel(false);
            }
        }
    }

    /**
     * Says hello, and gets the memory and the bell.
     *
     * @throws ConnectException if the host refuses, or hangs up
     */
    List<PassedDescriptor> receive() throws IOException, InterruptedException {
        ensureTrusted(socket.peerCredentials());
        await(socket.writeAllAsync(AttachMessage.hello()));
        ReceivedDescriptors received = await(socket.receiveDescriptorsAsync(answer, DESCRIPTORS));
        List<PassedDescriptor> descriptors = received.descriptors();
        boolean complete = false;
        try {
            ensureWelcome(received.bytes());
            if (descriptors.size() != DESCRIPTORS) {
                throw new ConnectException(host() + " has sent " + descriptors.size()
                        + " descriptors, and 2 were expected: what listens there is no host of Carillon");
            }
            complete = true;
            return descriptors;
        } finally {
            if (!complete) {
                descriptors.forEach(PassedDescriptor::close);
            }
        }
    }

    private void ensureTrusted(PeerCredentials host) {
        if (!SocketUsers.mayBeOurHost(host)) {
            throw new IllegalStateException(host() + " runs as uid=" + host.uid() + ", and this process as uid="
                    + SocketUsers.ours() + ": somebody may have put it there; attach to hosts of your own or of root");
        }
    }

    private void ensureWelcome(int bytes) throws ConnectException {
        if (bytes < 1) {
            throw new ConnectException(
                    host() + " has hung up without an answer: it was closed, or has many guests at once; try again");
        }
        if (!AttachMessage.isAnswer(answer)) {
            throw new ConnectException(host() + " does not answer as a host of Carillon does; correct the path");
        }
        Verdict verdict = AttachMessage.isOurVersion(answer) ? AttachMessage.verdict(answer) : Verdict.OTHER_VERSION;
        if (verdict != Verdict.WELCOME) {
            throw new ConnectException(host() + " " + verdict.meaning());
        }
    }

    /** Whether the memory is that of the link which the host has named. */
    void ensureIsThatLink(LinkMemory memory) throws ConnectException {
        if (!AttachMessage.isAbout(answer, memory.header().identity())) {
            throw new ConnectException(host() + " has named one link and sent the memory of another");
        }
    }

    private String host() {
        return "the host at " + directory;
    }

    private <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        return await(future, directory, deadline);
    }

    private static <T> T await(CompletableFuture<T> future, Path directory, long deadline)
            throws IOException, InterruptedException {
        try {
            return future.get(Deadlines.until(deadline, System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw caused(
                    new SocketTimeoutException("the host at " + directory
                            + " has not answered in time: it is busy, or stopped; look at it, or allow more time"),
                    late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof RuntimeException itself) {
                throw itself;
            }
            if (cause instanceof IOException itself) {
                throw itself;
            }
            throw caused(new InterruptedIOException("attaching to the host at " + directory + " has failed"), failed);
        }
    }

    private static IOException caused(IOException failure, Throwable cause) {
        failure.initCause(cause);
        return failure;
    }

    /** Hangs up, which tells the host that this guest has attached or does not want to. */
    @Override
    public void close() {
        socket.close();
    }
}
