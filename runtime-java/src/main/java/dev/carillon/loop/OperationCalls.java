package dev.carillon.loop;

import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.POLLNVAL;
import static dev.carillon.sys.layout.Constants.POLLOUT;
import static dev.carillon.sys.layout.Constants.POLLRDHUP;
import static dev.carillon.sys.layout.Constants.SHUT_WR;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.DescriptorMessage;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.SocketCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SockaddrLayout;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the system call of an operation on a descriptor that does not block.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class OperationCalls implements AutoCloseable {
    /** What came of a try. */
    enum Outcome {
        /** The operation has its result or failure. */
        DONE,

        /** The same, and the next one of its kind would find nothing: the kernel will tell. */
        DRAINED,

        /** Others have their turn first; it is to be tried again in the next iteration. */
        MORE,

        /** The kernel will tell when it is worth trying again. */
        AGAIN,

        /** It will not: a timer has to. */
        LATER
    }

    private static final int CONNECTING = 1;

    /** So many connections in a row may have failed before they were accepted; then others get their turn. */
    private static final int MAX_LOST_CONNECTIONS = 16;

    private static final int ADDRESS_LENGTH = SockaddrLayout.STORAGE_SIZE;

    private final PollingLoop loop;
    private final Sys sys;
    private final SocketCalls sockets;
    private final BufferCalls buffers;
    private final DatagramCalls datagrams;
    private final NativeBytes address;
    private final PollSet poll;
    private final Allowance allowance = new Allowance();
    private @Nullable DescriptorMessage message;
    private int messageRoom;

    OperationCalls(PollingLoop loop, Sys sys) {
        this.loop = loop;
        this.sys = sys;
        sockets = sys.sockets();
        buffers = new BufferCalls(sys, loop.options().scratch());
        datagrams = new DatagramCalls(sys, buffers.scratch());
        address = NativeBytes.allocate(sys.libc(), ADDRESS_LENGTH + Long.BYTES);
        poll = sys.pollSet(1);
    }

    /** Begins an iteration. */
    void renew() {
        allowance.renew();
    }

    // r[impl io.try-first]
    Outcome attempt(Operation operation, Handle handle) {
        if (allowance.isUsedUp()) {
            return Outcome.MORE;
        }
        allowance.spend(0);
        try {
            return switch (operation.kind) {
                case READ -> read(operation, handle);
                case WRITE -> write(operation, handle);
                case ACCEPT -> accept(operation, (ServerSocket) handle);
                case CONNECT -> connect(operation, handle);
                case RECEIVE -> receive(operation, handle);
                case SEND -> send(operation, handle);
                case RECEIVE_DESCRIPTORS -> receiveDescriptors(operation, handle);
                case SEND_DESCRIPTORS -> sendDescriptors(operation, handle);
                case AWAIT_READABLE -> poll(operation, handle, POLLIN | POLLRDHUP);
                case AWAIT_WRITABLE -> poll(operation, handle, POLLOUT);
                case SHUTDOWN -> shutdown(operation, handle);
                case OPEN -> open(operation, handle);
            };
        } catch (SyscallException failure) {
            operation.fail(SocketFailures.located(failure, operation.kind, handle));
            return Outcome.DONE;
        } catch (RuntimeException | Error failure) {
            // Also of buffers that their owner changed meanwhile, and of memory that is short: the operation is told.
            operation.fail(failure);
            return Outcome.DONE;
        }
    }

    private Outcome read(Operation operation, Handle handle) {
        Outcome outcome = transfer(operation, handle, true);
        return outcome == Outcome.DONE && operation.result() > 0 && buffers.hasDrained() ? Outcome.DRAINED : outcome;
    }

    private Outcome write(Operation operation, Handle handle) {
        return transfer(operation, handle, false);
    }

    // r[impl io.partial]
    private Outcome transfer(Operation operation, Handle handle, boolean reading) {
        int left = Allowance.OF_ONE;
        while (true) {
            long count = reading ? buffers.read(operation, handle) : buffers.write(operation, handle);
            left -= allowance.spend(count);
            if (count > 0) {
                operation.succeed(operation.result() + count);
                operation.position += operation.position < 0 ? 0 : count;
                if (operation.whole && !Buffers.isAll(operation)) {
                    if (left <= 0) {
                        return Outcome.MORE;
                    }
                    continue;
                }
            }
            long total = operation.result();
            return moved(operation, handle, reading ? "read" : "write", total == 0 && reading ? -1 : total, count);
        }
    }

    private static Outcome moved(Operation operation, Handle handle, String call, long result, long count) {
        if (count >= 0) {
            operation.succeed(result);
        } else if (count == -Errno.EAGAIN) {
            return Outcome.AGAIN;
        } else {
            operation.fail(SocketFailures.transfer(call, (int) -count, handle));
        }
        return Outcome.DONE;
    }

    // r[impl io.accept]
    private Outcome accept(Operation operation, ServerSocket server) {
        StreamSocket given = server.takeBack();
        if (given != null) {
            operation.succeed(given);
            return Outcome.DONE;
        }
        keepFromBlocking(server);
        for (int tries = 0; tries < MAX_LOST_CONNECTIONS; tries++) {
            int number = sockets.accept(server.number());
            if (number >= 0) {
                operation.succeed(accepted(number, server));
                return Outcome.DONE;
            }
            if (SocketCalls.isShortage(number)) {
                if (server.beginsToPause(loop.nanoTime())) {
                    loop.report(Failure.of("accept4", number, server + " pauses until there is room again"));
                }
                return Outcome.LATER;
            }
            if (!SocketCalls.isOfTheConnection(number)) {
                return moved(operation, server, "accept4", 0, number);
            }
        }
        return Outcome.LATER;
    }

    /**
     * accept4(2) knows no MSG_DONTWAIT. To ask for readiness first would not do: who shares the listener may take the
     * connection in between, and the loop would wait for the next one.
     */
    // r[impl io.shared-flag]
    private void keepFromBlocking(ServerSocket server) {
        boolean kept = sys.descriptors().setNonBlocking(server.number(), true);
        if (!kept && server.isFirstToBlock()) {
            loop.report(new IllegalStateException(server + ": somebody who shares it has cleared its O_NONBLOCK, which"
                    + " would make the loop wait, and it was set again; whoever shares it has to wait in poll(2) and not"
                    + " in accept(2)"));
        }
    }

    /** The kernel has given us a descriptor: it has an owner, or it is closed, also when memory runs out. */
    private StreamSocket accepted(int number, ServerSocket server) {
        StreamSocket socket = null;
        try {
            socket = new StreamSocket(loop, Fd.owning(sys.libc(), number), server.family());
            return socket;
        } finally {
            if (socket == null) {
                sys.libc().close(number);
            }
        }
    }

    // r[impl io.connect]
    private Outcome connect(Operation operation, Handle handle) {
        int number = handle.number();
        int result;
        if (operation.phase == CONNECTING) {
            result = sockets.takeError(number);
            if (result == 0 && sockets.remoteAddress(number, address.address(), ADDRESS_LENGTH) == -Errno.ENOTCONN) {
                return Outcome.AGAIN;
            }
        } else {
            int length = SocketAddresses.put(Objects.requireNonNull(operation.address), address.bytes());
            result = tryConnect(number, length);
            if (result == -Errno.EAGAIN) {
                // A full backlog of a Unix socket: epoll would call it writable.
                return Outcome.LATER;
            }
            if (result == -Errno.EINPROGRESS) {
                operation.phase = CONNECTING;
                return Outcome.AGAIN;
            }
        }
        if (result == 0) {
            operation.succeed(handle);
        } else {
            operation.fail(SocketFailures.connect(-result, operation.address));
        }
        return Outcome.DONE;
    }

    private int tryConnect(int number, int length) {
        try {
            return sockets.connect(number, address.address(), length);
        } catch (SyscallException failure) {
            return -failure.errno();
        }
    }

    private Outcome receive(Operation operation, Handle handle) {
        ByteBuffer buffer = BufferCalls.single(operation);
        address.bytes().putInt(ADDRESS_LENGTH, ADDRESS_LENGTH);
        int room = buffer.remaining();
        long count = datagrams.receive(operation, (DatagramSocket) handle, address, ADDRESS_LENGTH);
        if (count >= 0) {
            SocketAddress sender =
                    SocketAddresses.get(address.bytes(), address.bytes().getInt(ADDRESS_LENGTH));
            operation.succeed(new Datagram((int) count, sender, count > room));
        }
        return moved(operation, handle, "recvfrom", count, count);
    }

    // r[impl io.send-full]
    private Outcome send(Operation operation, Handle handle) {
        SocketAddress to = operation.address;
        int length = to == null ? 0 : SocketAddresses.put(to, address.bytes());
        long count = datagrams.send(operation, handle.number(), to == null ? 0 : address.address(), length);
        if (count == -Errno.EAGAIN && to != null && ((DatagramSocket) handle).isUnix()) {
            // epoll only knows whether the socket itself has room, which it has, and not whether the receiver has.
            return Outcome.LATER;
        }
        return moved(operation, handle, "sendto", count, count);
    }

    // r[impl io.scm-rights]
    private Outcome sendDescriptors(Operation operation, Handle handle) {
        ByteBuffer buffer = BufferCalls.single(operation);
        int[] numbers = (int[]) Objects.requireNonNull(operation.argument);
        buffers.place(operation, buffer, true);
        long count = message(numbers.length).send(handle.number(), buffers.address(), buffers.length(), numbers);
        buffers.moved(buffer, count, false);
        return moved(operation, handle, "sendmsg", count, count);
    }

    // r[impl io.scm-rights]
    private Outcome receiveDescriptors(Operation operation, Handle handle) {
        ByteBuffer buffer = BufferCalls.single(operation);
        DescriptorMessage received = message((int) Objects.requireNonNull(operation.argument));
        buffers.place(operation, buffer, false);
        long count = received.receive(handle.number(), buffers.address(), buffers.length());
        if (count >= 0) {
            // First of all: what was read is the reader's, also where the descriptors that came with it are not.
            buffers.moved(buffer, count, true);
            operation.succeed(count);
            List<PassedDescriptor> descriptors = received.takeDescriptors().stream()
                    .map(PassedDescriptor::new)
                    .toList();
            operation.succeed(new ReceivedDescriptors(count == 0 ? -1 : (int) count, descriptors));
        }
        return moved(operation, handle, "recvmsg", count == 0 ? -1 : count, count);
    }

    private DescriptorMessage message(int room) {
        DescriptorMessage last = message;
        if (last == null || messageRoom != room) {
            last = sys.descriptorMessage(room);
            message = last;
            messageRoom = room;
        }
        return last;
    }

    // r[impl io.poll]
    private Outcome poll(Operation operation, Handle handle, int events) {
        poll.set(0, handle.number(), events);
        if (poll.now() == 0) {
            return Outcome.AGAIN;
        }
        if ((poll.found(0) & POLLNVAL) != 0) {
            throw Failure.of("poll", -Errno.EBADF, "fd=" + handle.number() + " is not open in this process");
        }
        operation.succeed(poll.found(0));
        return Outcome.DONE;
    }

    // r[impl io.shutdown]
    private Outcome shutdown(Operation operation, Handle handle) {
        // Or the other side has gone before, and knows.
        operation.succeed(sockets.shutdown(handle.number(), SHUT_WR) ? 1 : 0);
        return Outcome.DONE;
    }

    // r[impl io.file]
    private Outcome open(Operation operation, Handle handle) {
        FileHandle.Opening opening = (FileHandle.Opening) handle;
        try {
            operation.succeed(opening.open(sys));
        } catch (SyscallException failure) {
            operation.fail(opening.located(failure));
        }
        return Outcome.DONE;
    }

    @Override
    public void close() {
        datagrams.close();
        buffers.close();
        address.close();
    }
}
