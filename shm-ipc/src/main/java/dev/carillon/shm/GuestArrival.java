package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.io.Operation;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.TimerHandle;
import dev.carillon.shm.AttachMessage.Verdict;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a guest: hello, memory and bell in one message, and then the guest attaches and hangs up.
 *
 * <p>Whoever connects may be any program. Each step has a deadline, and whatever goes wrong closes all that was made.
 *
 * <p><b>Threading:</b> the loop thread.
 */
// r[impl shm.attach.socket]
final class GuestArrival {
    /** A guest says hello when it has connected, so this is for the time that the machine takes. */
    private static final Duration HELLO_TIME = Duration.ofSeconds(2);

    private final Door door;
    private final StreamSocket socket;
    private final PeerCredentials guest;
    /** One byte more than a hello, so that a longer one is seen. */
    private final ByteBuffer received =
            ByteBuffer.allocate(AttachMessage.HELLO_BYTES + 1).order(ByteOrder.nativeOrder());

    private @Nullable TimerHandle timer;
    private @Nullable PeerTicket ticket;
    private boolean greeted;
    private boolean handedOver;
    private boolean over;

    GuestArrival(Door door, StreamSocket socket) {
        this.door = door;
        this.socket = socket;
        this.guest = socket.peerCredentials();
    }

    /** What it needs of its host. */
    interface Door {
        /** The link for a guest, or null if it is refused. */
        @Nullable
        LinkConfig linkFor(PeerCredentials guest);

        PeerTicket makeLink(LinkConfig config);

        /** How long a guest may take from its descriptors to the attaching. */
        Duration reserveFor();

        /** The guest has attached. */
        void arrived(ShmLink link, PeerCredentials guest);

        /** The connection is closed, whatever became of it. */
        void ended(GuestArrival arrival);
    }

    /** Whether that process has connected. */
    boolean isOf(int process) {
        return guest.pid() == process;
    }

    /** Whether it has said nothing yet. */
    boolean isSilent() {
        return !greeted;
    }

    void begin() {
        endUnless(() -> {
            timer = socket.eventLoop().schedule(HELLO_TIME, this::end);
            receive(Operation.of(this::onHello));
            return true;
        });
    }

    /** Room for a descriptor, only so that this thread does not have to close one in the call. */
    private void receive(Operation operation) {
        socket.receiveDescriptors(received, 1, operation);
    }

    /** How many bytes came, -1 if descriptors did, which no guest sends. */
    private static int bytesOf(Operation done) {
        if (!(done.value() instanceof ReceivedDescriptors with)) {
            return 0;
        }
        with.descriptors().forEach(PassedDescriptor::close);
        return with.descriptors().isEmpty() ? with.bytes() : -1;
    }

    private void onHello(Operation done) {
        int bytes = bytesOf(done);
        if (over) {
            return;
        }
        if (bytes < 1 || !AttachMessage.mayBeHello(received)) {
            end();
        } else if (received.position() < AttachMessage.HELLO_BYTES) {
            // The rest is on its way; the time goes on.
            endUnless(() -> {
                receive(Operation.of(this::onHello));
                return true;
            });
        } else {
            greeted = true;
            endUnless(this::answer);
        }
    }

    private boolean answer() {
        if (!AttachMessage.isOurHello(received)) {
            return refuse(Verdict.OTHER_VERSION);
        }
        LinkConfig config = door.linkFor(guest);
        if (config == null) {
            return refuse(Verdict.NOT_ALLOWED);
        }
        try {
            PeerTicket made = door.makeLink(config);
            ticket = made;
            // The guest may write any other number into the link word.
            made.link().peer().isKnownAs(guest.pid());
            welcome(made);
            return true;
        } catch (ClosedException hostIsClosed) {
            // It hangs up, as on all that are under way.
            return false;
        } catch (SyscallException shortage) {
            refuse(Verdict.NO_ROOM);
            throw shortage;
        } catch (IllegalStateException full) {
            return turnAway(full);
        }
    }

    /** The loop sends when it can, and another thread may close the host before. */
    private void welcome(PeerTicket made) {
        TicketDescriptors held = made.hold();
        boolean begun = false;
        try {
            socket.sendDescriptors(AttachMessage.welcome(made.identity()), held.numbers(), Operation.of(done -> {
                held.close();
                onWelcomed(done);
            }));
            begun = true;
        } finally {
            if (!begun) {
                held.close();
            }
        }
    }

    /** The guest is told; whether it listens makes no difference. */
    private boolean refuse(Verdict verdict) {
        socket.writeAll(AttachMessage.refusal(verdict), Operation.of(done -> end()));
        return true;
    }

    /** The guest is told, and then the error handler of the loop, whose log leaves out what comes too often. */
    private boolean turnAway(IllegalStateException full) {
        IllegalStateException told = new IllegalStateException(
                "pid=" + guest.pid() + " uid=" + guest.uid() + " wanted to be a guest and was turned away: "
                        + full.getMessage(),
                full);
        socket.writeAll(AttachMessage.refusal(Verdict.NO_ROOM), Operation.of(done -> {
            end();
            throw told;
        }));
        return true;
    }

    private void onWelcomed(Operation done) {
        if (over) {
            return;
        }
        if (done.result() != AttachMessage.ANSWER_BYTES) {
            end();
            return;
        }
        endUnless(this::awaitGuest);
    }

    private boolean awaitGuest() {
        ticketMade().used();
        if (timer != null) {
            timer.cancel();
        }
        timer = socket.eventLoop().schedule(door.reserveFor(), this::settle);
        received.clear();
        receive(Operation.of(done -> {
            bytesOf(done);
            settle();
        }));
        return true;
    }

    private PeerTicket ticketMade() {
        if (ticket == null) {
            throw new IllegalStateException("no link was made");
        }
        return ticket;
    }

    /** The guest has hung up, or its time is over. The link says whether it has attached. */
    private void settle() {
        if (!over) {
            endUnless(this::handOver);
            end();
        }
    }

    private boolean handOver() {
        ShmLink link = ticketMade().link();
        if (link.hasGuest()) {
            door.arrived(link, guest);
            handedOver = true;
        }
        return true;
    }

    /** What a step throws, the code of a user among it, goes to the error handler of the loop. */
    private void endUnless(Step step) {
        boolean well = false;
        try {
            well = step.take();
        } finally {
            if (!well) {
                end();
            }
        }
    }

    /** Closes all that is not the user's. */
    void end() {
        if (over) {
            return;
        }
        over = true;
        if (timer != null) {
            timer.cancel();
        }
        try {
            closeLink();
        } finally {
            socket.close();
            door.ended(this);
        }
    }

    private void closeLink() {
        PeerTicket made = ticket;
        if (made == null) {
            return;
        }
        // What the loop still has of this connection does not keep the memory of the link.
        ticket = null;
        try {
            made.close();
        } finally {
            if (!handedOver) {
                made.link().close();
            }
        }
    }

    @Override
    public String toString() {
        return "GuestArrival[" + guest + (greeted ? "]" : ", silent]");
    }

    /** A part of the way; false ends it, as an exception does. */
    @FunctionalInterface
    private interface Step {
        boolean take();
    }
}
