package dev.carillon.shm;

import dev.carillon.PeerCredentials;
import dev.carillon.io.Operation;
import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The Unix socket of a host, by which guests attach that are not its children.
 *
 * <p><b>Threading:</b> {@link #close}: any thread; all else happens on the loop.
 */
// r[impl shm.attach.crowd]
final class GuestDoor implements AutoCloseable {
    private static final int OWNER_ONLY = 0600;

    /** How long one may be silent while others find no room, after it was let in: time enough for a program that is on its way. */
    private static final Duration SHORT_SILENCE = Duration.ofMillis(100);

    /** So often it is looked whether there is room again. */
    private static final Duration NEXT_LOOK = Duration.ofMillis(10);

    private final HostConfig config;
    private final Function<LinkConfig, PeerTicket> links;
    private final EventLoop loop;
    private final ServerSocket listener;

    /** With its number a guest is let in for whom there is no other descriptor: so it is told why it is turned away. */
    private final SpareDescriptor spare;

    private final Operation accepting = Operation.of(this::onAccepted);

    /** What each of the arrivals sees. */
    private final GuestArrival.Door inside = new Inside();

    /** Those that have a place: they have said hello, and get a link. */
    private final Set<GuestArrival> served = new HashSet<>();

    /** Those that have none yet. If they are too many, the others are left to the kernel. */
    private final WaitingGuests waiting = new WaitingGuests();

    private boolean admitting;
    private boolean isCrowded;

    /** When the last one has got a place, or when it became crowded. */
    private long progress;

    private volatile boolean closed;

    private GuestDoor(
            HostConfig config,
            Function<LinkConfig, PeerTicket> links,
            EventLoop loop,
            ServerSocket listener,
            SpareDescriptor spare) {
        this.config = config;
        this.links = links;
        this.loop = loop;
        this.listener = listener;
        this.spare = spare;
    }

    /**
     * Opens it; only this user can reach it. The file of the socket is the caller's, also if this fails.
     *
     * @param links makes a link
     */
    static GuestDoor open(Path socket, HostConfig config, Function<LinkConfig, PeerTicket> links) {
        EventLoop loop = config.loop();
        SpareDescriptor spare = new SpareDescriptor();
        @Nullable ServerSocket listener = null;
        boolean open = false;
        try {
            listener = ServerSocket.bind(loop, UnixDomainSocketAddress.of(socket));
            // Until here the directory alone has kept others out.
            Sys.get().files().permissions(socket, OWNER_ONLY);
            GuestDoor door = new GuestDoor(config, links, loop, listener, spare);
            listener.onShortage(spare::give);
            listener.accept(door.accepting);
            open = true;
            return door;
        } finally {
            if (!open) {
                closeAll(listener, spare);
            }
        }
    }

    private static void closeAll(@Nullable ServerSocket listener, SpareDescriptor spare) {
        spare.close();
        if (listener != null) {
            listener.close();
        }
    }

    private void onAccepted(Operation done) {
        if (done.value() instanceof StreamSocket socket) {
            try {
                begin(socket);
            } finally {
                acceptNext();
            }
        } else if (!closed && !loop.isStopping()) {
            throw new IllegalStateException(
                    listener + " accepts no more guests; close the host and make another one", done.failure());
        }
    }

    private void begin(StreamSocket socket) {
        boolean begun = false;
        try {
            GuestArrival arrival = new GuestArrival(inside, socket);
            if (waiting.add(arrival)) {
                begun = true;
                arrival.begin();
            }
        } finally {
            if (!begun) {
                socket.close();
            }
        }
    }

    /** As many as there is room for. The end of one lets in the next, also in the midst of this. */
    private void admitWaiting() {
        if (admitting || closed) {
            return;
        }
        admitting = true;
        boolean isDone = false;
        try {
            GuestArrival next = waiting.take(this::hasPlace);
            while (next != null) {
                served.add(next);
                progress = loop.nanoTime();
                next.serve();
                next = waiting.take(this::hasPlace);
            }
            isDone = true;
        } finally {
            admitting = false;
            if (!isDone && !loop.isStopping()) {
                // What the code of a user throws keeps none of the others out.
                loop.execute(this::admitWaiting);
            }
        }
    }

    /** Whether there is a place for a process: half of them at most, so that no process keeps all others out. */
    private boolean hasPlace(int process) {
        return served.size() < config.pending()
                && served.stream().filter(each -> each.process() == process).count() < (config.pending() + 1) / 2;
    }

    private void acceptNext() {
        if (closed || loop.isStopping() || accepting.isPending() || isCrowded) {
            return;
        }
        if (waiting.isFull()) {
            isCrowded = true;
            progress = loop.nanoTime();
            lookLater();
        } else {
            listener.accept(accepting);
        }
    }

    /** Once more round the loop, and after what has come by then was read: none is silent whose hello is there. */
    private void lookLater() {
        loop.schedule(NEXT_LOOK, () -> loop.execute(this::lookForRoom));
    }

    private void lookForRoom() {
        if (closed || loop.isStopping()) {
            return;
        }
        if (waiting.isFull()) {
            inTheWay().forEach(GuestArrival::end);
        }
        if (waiting.isFull()) {
            lookLater();
        } else {
            isCrowded = false;
            acceptNext();
        }
    }

    /** Those that have been silent for some time; where all say hello and nobody gets a place, half of the largest crowd. */
    private List<GuestArrival> inTheWay() {
        List<GuestArrival> silent = waiting.silent(each -> each.isSilentFor(SHORT_SILENCE));
        boolean isStuck = loop.nanoTime() - progress >= GuestHello.TIME.toNanos();
        return silent.isEmpty() && isStuck ? waiting.crowd() : silent;
    }

    /** Lets nobody in any more, and ends what is under way. The file of the socket stays. */
    @Override
    public void close() {
        closed = true;
        closeAll(listener, spare);
        if (loop.inLoop()) {
            endAll();
            return;
        }
        try {
            loop.execute(this::endAll);
        } catch (RejectedExecutionException loopIsOver) {
            // It has failed all operations, and so ended what was under way.
            waiting.close();
        }
    }

    private void endAll() {
        waiting.all().forEach(GuestArrival::end);
        waiting.close();
        List.copyOf(served).forEach(GuestArrival::end);
    }

    @Override
    public String toString() {
        return "GuestDoor[" + listener + "]";
    }

    private final class Inside implements GuestArrival.Door {
        @Override
        public void greeted(GuestArrival arrival) {
            waiting.hasGreeted(arrival);
            admitWaiting();
        }

        @Override
        public @Nullable LinkConfig linkFor(PeerCredentials guest) {
            return config.linkFor(guest);
        }

        @Override
        public PeerTicket makeLink(LinkConfig link) {
            return links.apply(link);
        }

        @Override
        public Duration reserveFor() {
            return config.reserveFor();
        }

        @Override
        public void arrived(ShmLink link, PeerCredentials guest) {
            config.handler().onGuest(link, guest);
        }

        @Override
        public void ended(GuestArrival arrival) {
            waiting.remove(arrival);
            served.remove(arrival);
            // It may have had the number of the spare one.
            spare.restore();
            admitWaiting();
        }
    }
}
