package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.PeerCredentials;
import dev.carillon.SyscallException;
import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.TimerHandle;
import dev.carillon.shm.AttachMessage.Verdict;
import dev.carillon.sys.Errno;
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
    private final Door door;
    private final StreamSocket socket;
    private final PeerCredentials guest;
    private final GuestHello hello;
    private @Nullable TimerHandle timer;
    private @Nullable PeerTicket ticket;
    private boolean handedOver;
    private boolean over;

    GuestArrival(Door door, StreamSocket socket) {
        this.door = door;
        this.socket = socket;
        this.guest = socket.peerCredentials();
        hello = new GuestHello(socket, this::heard);
    }

    /** What it needs of its host. */
    interface Door {
        /** The guest has said hello, and waits for {@link #serve}. */
        void greeted(GuestArrival arrival);

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

    /** Which process has connected. */
    int process() {
        return guest.pid();
    }

    /** Whether it has been here for that time and has not said hello. */
    boolean isSilentFor(Duration time) {
        return hello.isSilentFor(time);
    }

    void begin() {
        endUnless(() -> {
            hello.await();
            return true;
        });
    }

    private void heard(GuestHello.Heard what) {
        if (over) {
            return;
        }
        switch (what) {
            case NO_HELLO -> end();
            case HELLO -> greet();
            case PART ->
                endUnless(() -> {
                    hello.readOn();
                    return true;
                });
        }
    }

    private void greet() {
        hello.stop();
        if (hello.isOurs()) {
            // What this throws is another one's.
            door.greeted(this);
        } else {
            endUnless(() -> refuse(Verdict.OTHER_VERSION));
        }
    }

    /** It has a place now. */
    void serve() {
        endUnless(this::answer);
    }

    private boolean answer() {
        LinkConfig config;
        try {
            config = door.linkFor(guest);
        } catch (Throwable failure) {
            return fail(failure);
        }
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
            return turnAway(shortage, shortage.errno());
        } catch (IllegalStateException full) {
            return turnAway(full, 0);
        } catch (OutOfMemoryError shortage) {
            // Also where there is no thread.
            return turnAway(shortage, Errno.ENOMEM);
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

    /** What the program decides by has failed. The guest is told, and then the error handler of the loop, as of any callback. */
    private boolean fail(Throwable failure) {
        socket.writeAll(AttachMessage.refusal(Verdict.FAILED), Operation.of(done -> {
            end();
            throw asThrown(failure);
        }));
        return true;
    }

    private static RuntimeException asThrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known
                ? known
                : new IllegalStateException("HostConfig.allow or linkFor has failed", failure);
    }

    /** The guest is told, and then the error handler of the loop, whose log leaves out what comes too often. */
    // r[impl shm.attach.shortage]
    private boolean turnAway(Throwable why, int errno) {
        IllegalStateException told = new IllegalStateException(
                "pid=" + guest.pid() + " uid=" + guest.uid() + " wanted to be a guest and was turned away: "
                        + why.getMessage(),
                why);
        socket.writeAll(AttachMessage.noRoom(errno), Operation.of(done -> {
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
        timer = socket.eventLoop().schedule(door.reserveFor(), this::settle);
        hello.awaitEnd(this::settle);
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
        hello.stop();
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

    /** The loop is over, or nobody lets it in. */
    void hangUp() {
        socket.close();
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
        return "GuestArrival[" + guest + (isSilentFor(Duration.ZERO) ? ", silent]" : "]");
    }

    /** A part of the way; false ends it, as an exception does. */
    @FunctionalInterface
    private interface Step {
        boolean take();
    }
}
