package dev.carillon.shm;

import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.AttachMessage.Verdict;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.Errno;
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
import java.util.function.Consumer;

/**
 * A guest's connection to the socket of a host, from the hello to the descriptors.
 *
 * <p><b>Threading:</b> one thread, which blocks.
 */
final class HostConnection implements AutoCloseable {
    private static final int DESCRIPTORS = 2;

    /** What the kernel takes in one message: so too many can be told from too few free numbers in this process. */
    private static final int MOST_DESCRIPTORS = 253;

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
            StreamSocket socket = await(connecting, "the host at " + directory, deadline);
            connected = true;
            return new HostConnection(directory, socket, deadline);
        } finally {
            if (!connected) {
                giveUp(connecting, StreamSocket::close);
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
        ReceivedDescriptors received = received();
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

    private ReceivedDescriptors received() throws IOException, InterruptedException {
        CompletableFuture<ReceivedDescriptors> receiving = socket.receiveDescriptorsAsync(answer, MOST_DESCRIPTORS);
        boolean received = false;
        try {
            ReceivedDescriptors result = await(receiving);
            received = true;
            return result;
        } finally {
            if (!received) {
                giveUp(receiving, late -> late.descriptors().forEach(PassedDescriptor::close));
            }
        }
    }

    /**
     * Takes an operation back that nobody waits for any more. The loop gives back what it has then; what had come before, after
     * the wait for it was over, is closed here.
     */
    // r[impl shm.attach.given-up]
    private static <T> void giveUp(CompletableFuture<T> operation, Consumer<T> closing) {
        if (!operation.cancel(false) && !operation.isCompletedExceptionally()) {
            closing.accept(operation.join());
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
            throw hungUp(host());
        }
        if (!AttachMessage.isAnswer(answer)) {
            throw new ConnectException(host() + " does not answer as a host of Carillon does; correct the path");
        }
        Verdict verdict = AttachMessage.isOurVersion(answer) ? AttachMessage.verdict(answer) : Verdict.OTHER_VERSION;
        if (verdict != Verdict.WELCOME) {
            String shortage = verdict == Verdict.NO_ROOM ? AttachMessage.shortage(answer) : "";
            throw new ConnectException(host() + " " + verdict.meaning() + shortage);
        }
    }

    /** Whether the memory is that of the link which the host has named. */
    void ensureIsThatLink(LinkMemory memory) throws ConnectException {
        if (!AttachMessage.isAbout(answer, memory.header().identity())) {
            throw new ConnectException(host() + " has named one link and sent the memory of another");
        }
    }

    /**
     * What to throw where the descriptors are of no use.
     *
     * @throws SyscallException if that is for want of memory or descriptors here
     */
    ConnectException useless(RuntimeException why) {
        if (why instanceof SyscallException failure
                && failure.errno() != Errno.EACCES
                && failure.errno() != Errno.EPERM) {
            throw failure;
        }
        ConnectException told = new ConnectException(host() + " has sent what is no memory or no bell of a link: "
                + why.getMessage() + "; it is faulty, or no host of Carillon");
        told.initCause(why);
        return told;
    }

    private String host() {
        return "the host at " + directory;
    }

    private <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        return await(future, host() + ", pid=" + socket.peerCredentials().pid() + ",", deadline);
    }

    private static <T> T await(CompletableFuture<T> future, String host, long deadline)
            throws IOException, InterruptedException {
        try {
            return future.get(Deadlines.until(deadline, System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw caused(
                    new SocketTimeoutException(
                            host + " has not answered in time: it is busy, stopped, or out of descriptors;"
                                    + " look at its log, its state and /proc/PID/fd, or allow more time"),
                    late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof SyscallException reset
                    && (reset.errno() == Errno.ECONNRESET || reset.errno() == Errno.EPIPE)) {
                throw caused(hungUp(host), reset);
            }
            if (cause instanceof RuntimeException itself) {
                throw itself;
            }
            if (cause instanceof IOException itself) {
                throw itself;
            }
            throw caused(new InterruptedIOException("attaching to " + host + " has failed"), failed);
        }
    }

    private static ConnectException hungUp(String host) {
        return new ConnectException(
                host + " has hung up without an answer: it was closed, or has many guests at once; try again");
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
