package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.POLLNVAL;
import static dev.carillon.sys.layout.Constants.POLLOUT;
import static dev.carillon.sys.layout.Constants.POLLPRI;
import static dev.carillon.sys.layout.Constants.POLLRDHUP;
import static dev.carillon.sys.layout.Constants.SHUT_WR;

import dev.carillon.SyscallException;
import dev.carillon.io.backend.Argument;
import dev.carillon.io.backend.Buffers;
import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.io.backend.Target;
import dev.carillon.loop.access.PolledLoop;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the system call of an operation on a descriptor that does not block.
 *
 * <p><b>Threading:</b> the loop thread.
 */
final class OperationCalls implements AutoCloseable {
    /** The outcome of a try. */
    enum Outcome {
        /** The operation has its result or failure. */
        DONE,

        /** The same, and the next one of its kind would find nothing: an event will say when to try it. */
        DRAINED,

        /** Others have their turn first; the backend tries it again in the next iteration. */
        MORE,

        /** An event will say when to try again. */
        AGAIN,

        /** No event will come; a timer says when to try again. */
        LATER
    }

    private static final int CONNECTING = 1;

    /** After so many connections in a row that failed before they were accepted, others get their turn. */
    private static final int MAX_LOST_CONNECTIONS = 16;

    private static final int ADDRESS_LENGTH = SockaddrLayout.STORAGE_SIZE;

    private final PolledLoop loop;
    private final Sys sys;
    private final SocketCalls sockets;
    private final BufferCalls buffers;
    private final DatagramCalls datagrams;
    private final NativeBytes address;
    private final PollSet poll;
    private final Allowance allowance = new Allowance();
    private @Nullable DescriptorMessage message;
    private int messageRoom;

    OperationCalls(PolledLoop loop, Sys sys) {
        this.loop = loop;
        this.sys = sys;
        sockets = sys.sockets();
        buffers = new BufferCalls(sys, loop.scratch());
        datagrams = new DatagramCalls(sys, buffers.scratch());
        address = NativeBytes.allocate(sys.libc(), ADDRESS_LENGTH + Long.BYTES);
        poll = sys.pollSet(1);
    }

    /** Begins an iteration. */
    void renew() {
        allowance.renew();
    }

    // r[impl io.try-first]
    Outcome attempt(Request request, Target target) {
        if (allowance.isUsedUp()) {
            return Outcome.MORE;
        }
        allowance.spend(0);
        try {
            return switch (request.kind) {
                case READ -> read(request, target);
                case WRITE -> write(request, target);
                case ACCEPT -> accept(request, target);
                case CONNECT -> connect(request, target);
                case RECEIVE -> receive(request, target);
                case SEND -> send(request, target);
                case RECEIVE_DESCRIPTORS -> receiveDescriptors(request, target);
                case SEND_DESCRIPTORS -> sendDescriptors(request, target);
                case AWAIT_READABLE -> poll(request, target, POLLIN | POLLRDHUP);
                case AWAIT_WRITABLE -> poll(request, target, POLLOUT);
                case AWAIT_PRIORITY -> poll(request, target, POLLPRI);
                case SHUTDOWN -> shutdown(request, target);
                case OPEN -> open(request);
            };
        } catch (SyscallException failure) {
            request.fail(SocketFailures.located(failure, request.kind, target));
            return Outcome.DONE;
        } catch (RuntimeException | Error failure) {
            // This covers buffers that their owner changed meanwhile, and memory that is short: the operation fails.
            request.fail(failure);
            return Outcome.DONE;
        }
    }

    private Outcome read(Request request, Target target) {
        Outcome outcome = transfer(request, target, true);
        return outcome == Outcome.DONE && request.result() > 0 && buffers.hasDrained() ? Outcome.DRAINED : outcome;
    }

    private Outcome write(Request request, Target target) {
        return transfer(request, target, false);
    }

    // r[impl io.partial]
    private Outcome transfer(Request request, Target target, boolean reading) {
        int left = Allowance.OF_ONE;
        while (true) {
            long count = reading ? buffers.read(request, target) : buffers.write(request, target);
            left -= allowance.spend(count);
            if (count > 0) {
                request.succeed(request.result() + count);
                request.position += request.position < 0 ? 0 : count;
                if (request.whole && !Buffers.isAll(request)) {
                    if (left <= 0) {
                        return Outcome.MORE;
                    }
                    continue;
                }
            }
            long total = request.result();
            return moved(request, target, reading ? "read" : "write", total == 0 && reading ? -1 : total, count);
        }
    }

    private static Outcome moved(Request request, Target target, String call, long result, long count) {
        if (count >= 0) {
            request.succeed(result);
        } else if (count == -Errno.EAGAIN) {
            return Outcome.AGAIN;
        } else {
            request.fail(SocketFailures.transfer(call, (int) -count, target));
        }
        return Outcome.DONE;
    }

    // r[impl io.accept]
    private Outcome accept(Request request, Target server) {
        Argument.Acceptor acceptor = argument(request, Argument.Acceptor.class);
        Object given = acceptor.takeBack();
        if (given != null) {
            request.succeed(given);
            return Outcome.DONE;
        }
        keepFromBlocking(server, acceptor);
        for (int tries = 0; tries < MAX_LOST_CONNECTIONS; tries++) {
            int number = sockets.accept(server.number);
            if (number >= 0) {
                request.succeed(accepted(number, acceptor));
                return Outcome.DONE;
            }
            if (SocketCalls.isShortage(number)) {
                if (acceptor.makesRoom()) {
                    continue;
                }
                if (acceptor.beginsToPause(loop.nanoTime())) {
                    loop.report(Failure.of("accept4", number, server + " pauses until there is room again"));
                }
                return Outcome.LATER;
            }
            if (!SocketCalls.isOfTheConnection(number)) {
                return moved(request, server, "accept4", 0, number);
            }
        }
        return Outcome.LATER;
    }

    /**
     * Sets O_NONBLOCK, since accept4(2) knows no MSG_DONTWAIT. To ask for readiness first would not be enough: a process
     * that shares the listener may take the connection in between, and the loop would wait for the next one.
     */
    // r[impl io.shared-flag]
    private void keepFromBlocking(Target server, Argument.Acceptor acceptor) {
        boolean kept = sys.descriptors().setNonBlocking(server.number, true);
        if (!kept && acceptor.isFirstToBlock()) {
            loop.report(new IllegalStateException(server + ": somebody who shares it has cleared its O_NONBLOCK, which"
                    + " would make the loop wait, and it was set again; whoever shares it has to wait in poll(2) and not"
                    + " in accept(2)"));
        }
    }

    /** Gives a descriptor from the kernel an owner, or closes it, also when memory runs out. */
    private Object accepted(int number, Argument.Acceptor acceptor) {
        Object socket = null;
        try {
            socket = acceptor.accepted(Fd.owning(sys.libc(), number));
            return socket;
        } finally {
            if (socket == null) {
                sys.libc().close(number);
            }
        }
    }

    // r[impl io.connect]
    private Outcome connect(Request request, Target target) {
        int number = target.number;
        int result;
        if (request.phase == CONNECTING) {
            result = sockets.takeError(number);
            if (result == 0 && sockets.remoteAddress(number, address.address(), ADDRESS_LENGTH) == -Errno.ENOTCONN) {
                return Outcome.AGAIN;
            }
        } else {
            int length = SocketAddresses.put(Objects.requireNonNull(request.address), address.bytes());
            result = tryConnect(number, length);
            if (result == -Errno.EAGAIN) {
                // A full backlog of a Unix socket: epoll would call it writable.
                return Outcome.LATER;
            }
            if (result == -Errno.EINPROGRESS) {
                request.phase = CONNECTING;
                return Outcome.AGAIN;
            }
        }
        if (result == 0) {
            request.succeed(argument(request, Argument.Connector.class).connected());
        } else {
            request.fail(SocketFailures.connect(-result, request.address));
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

    private Outcome receive(Request request, Target target) {
        ByteBuffer buffer = request.single();
        address.bytes().putInt(ADDRESS_LENGTH, ADDRESS_LENGTH);
        int room = buffer.remaining();
        long count = datagrams.receive(request, target, address, ADDRESS_LENGTH);
        if (count >= 0) {
            SocketAddress sender =
                    SocketAddresses.get(address.bytes(), address.bytes().getInt(ADDRESS_LENGTH));
            request.succeed(
                    argument(request, Argument.DatagramReceiver.class).received((int) count, sender, count > room));
        }
        return moved(request, target, "recvfrom", count, count);
    }

    // r[impl io.send-full]
    private Outcome send(Request request, Target target) {
        SocketAddress to = request.address;
        int length = to == null ? 0 : SocketAddresses.put(to, address.bytes());
        long count = datagrams.send(request, target.number, to == null ? 0 : address.address(), length);
        if (count == -Errno.EAGAIN && to != null && target.kind == Target.Kind.UNIX_DATAGRAM) {
            // epoll knows that the socket itself has room, but not whether the receiver has.
            return Outcome.LATER;
        }
        return moved(request, target, "sendto", count, count);
    }

    // r[impl io.scm-rights]
    private Outcome sendDescriptors(Request request, Target target) {
        ByteBuffer buffer = request.single();
        int[] numbers = argument(request, Argument.DescriptorSender.class).numbers();
        buffers.place(request, buffer, true);
        long count = message(numbers.length).send(target.number, buffers.address(), buffers.length(), numbers);
        buffers.moved(buffer, count, false);
        return moved(request, target, "sendmsg", count, count);
    }

    // r[impl io.scm-rights]
    private Outcome receiveDescriptors(Request request, Target target) {
        ByteBuffer buffer = request.single();
        Argument.DescriptorReceiver receiver = argument(request, Argument.DescriptorReceiver.class);
        DescriptorMessage received = message(receiver.most());
        buffers.place(request, buffer, false);
        long count = received.receive(target.number, buffers.address(), buffers.length());
        if (count >= 0) {
            // First of all: the reader gets the bytes, also where it does not get the descriptors that came with them.
            buffers.moved(buffer, count, true);
            request.succeed(count);
            request.succeed(receiver.received(count == 0 ? -1 : (int) count, received.takeDescriptors()));
        }
        return moved(request, target, "recvmsg", count == 0 ? -1 : count, count);
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
    private Outcome poll(Request request, Target target, int events) {
        poll.set(0, target.number, events);
        if (poll.now() == 0) {
            return Outcome.AGAIN;
        }
        if ((poll.found(0) & POLLNVAL) != 0) {
            throw Failure.of("poll", -Errno.EBADF, "fd=" + target.number + " is not open in this process");
        }
        request.succeed(poll.found(0));
        return Outcome.DONE;
    }

    // r[impl io.shutdown]
    private Outcome shutdown(Request request, Target target) {
        // False where the other side has gone before: it needs no end.
        request.succeed(sockets.shutdown(target.number, SHUT_WR) ? 1 : 0);
        return Outcome.DONE;
    }

    // r[impl io.file]
    private Outcome open(Request request) {
        Argument.Opener opening = argument(request, Argument.Opener.class);
        try {
            request.succeed(opening.open(sys));
        } catch (SyscallException failure) {
            request.fail(opening.located(failure));
        }
        return Outcome.DONE;
    }

    private static <T extends Argument> T argument(Request request, Class<T> type) {
        return type.cast(Objects.requireNonNull(request.argument, "argument"));
    }

    @Override
    public void close() {
        datagrams.close();
        buffers.close();
        address.close();
    }
}
