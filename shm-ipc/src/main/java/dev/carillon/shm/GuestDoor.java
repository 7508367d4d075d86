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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The Unix socket of a host, by which guests attach that are not its children.
 *
 * <p><b>Threading:</b> {@link #close}: any thread; all else happens on the loop.
 */
final class GuestDoor implements AutoCloseable {
    private static final int OWNER_ONLY = 0600;

    private final HostConfig config;
    private final Function<LinkConfig, PeerTicket> links;
    private final EventLoop loop;
    private final ServerSocket listener;
    private final Operation accepting = Operation.of(this::onAccepted);

    /** The connections that are under way, the oldest first. */
    private final Set<GuestArrival> arrivals = new LinkedHashSet<>();

    /** Those for whom there is no room yet. */
    private final WaitingGuests waiting = new WaitingGuests();

    private boolean admitting;
    private volatile boolean closed;

    private GuestDoor(
            HostConfig config, Function<LinkConfig, PeerTicket> links, EventLoop loop, ServerSocket listener) {
        this.config = config;
        this.links = links;
        this.loop = loop;
        this.listener = listener;
    }

    /**
     * Opens it; only this user can reach it. The file of the socket is the caller's, also if this fails.
     *
     * @param links makes a link
     */
    static GuestDoor open(Path socket, HostConfig config, Function<LinkConfig, PeerTicket> links) {
        EventLoop loop = config.loop();
        ServerSocket listener = ServerSocket.bind(loop, UnixDomainSocketAddress.of(socket));
        boolean open = false;
        try {
            // Until here the directory alone has kept others out.
            Sys.get().files().permissions(socket, OWNER_ONLY);
            GuestDoor door = new GuestDoor(config, links, loop, listener);
            listener.accept(door.accepting);
            open = true;
            return door;
        } finally {
            if (!open) {
                listener.close();
            }
        }
    }

    private void onAccepted(Operation done) {
        if (done.value() instanceof StreamSocket socket) {
            try {
                waiting.add(socket);
                admitWaiting();
            } finally {
                acceptNext();
            }
        } else if (!closed && !loop.isStopping()) {
            throw new IllegalStateException(
                    listener + " accepts no more guests; close the host and make another one", done.failure());
        }
    }

    private void admit(StreamSocket socket) {
        boolean admitted = false;
        try {
            if (!closed) {
                GuestArrival arrival = new GuestArrival(new Inside(), socket);
                arrivals.add(arrival);
                admitted = true;
                arrival.begin();
            }
        } finally {
            if (!admitted) {
                socket.close();
            }
        }
    }

    /** As many as there is room for. The end of one lets in the next, also in the midst of this. */
    private void admitWaiting() {
        if (admitting) {
            return;
        }
        admitting = true;
        try {
            StreamSocket next = waiting.take(this::makeRoom);
            while (next != null) {
                admit(next);
                next = waiting.take(this::makeRoom);
            }
        } finally {
            admitting = false;
        }
    }

    /**
     * Whether a process may have one more connection under way: half of the places at most, so that no process keeps all
     * others out. One that has been silent for the longest time makes room; those that have said hello are waited for.
     */
    private boolean makeRoom(int process) {
        if (arrivals.stream().filter(each -> each.isOf(process)).count() >= (config.pending() + 1) / 2) {
            return endSilent(each -> each.isOf(process));
        }
        return arrivals.size() < config.pending() || endSilent(each -> true);
    }

    private boolean endSilent(Predicate<GuestArrival> which) {
        Optional<GuestArrival> silent =
                arrivals.stream().filter(GuestArrival::isSilent).filter(which).findFirst();
        silent.ifPresent(GuestArrival::end);
        return silent.isPresent();
    }

    private void acceptNext() {
        if (!closed && !loop.isStopping() && !accepting.isPending()) {
            listener.accept(accepting);
        }
    }

    /** Lets nobody in any more, and ends what is under way. The file of the socket stays. */
    @Override
    public void close() {
        closed = true;
        listener.close();
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
        waiting.close();
        List.copyOf(arrivals).forEach(GuestArrival::end);
    }

    @Override
    public String toString() {
        return "GuestDoor[" + listener + "]";
    }

    /** What an arrival sees. */
    private final class Inside implements GuestArrival.Door {
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
            arrivals.remove(arrival);
            admitWaiting();
        }
    }
}
