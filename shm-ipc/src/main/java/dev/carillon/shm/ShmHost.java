package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Failure;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The side that makes links: one host has up to 255 guests, each with memory of its own that no other guest can touch.
 *
 * <pre>{@code
 * try (ShmHost host = ShmHost.create()) {
 *     PeerTicket ticket = host.addPeer(LinkConfig.defaults());
 *     Child guest = host.spawn(Spawn.command("guest"), ticket);
 *     ticket.link().send(Frame.of(HELLO, 1, bytes), Duration.ofSeconds(1));
 * }
 * }</pre>
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> closing it closes all its links; the guests are the caller's.
 *
 * <p><b>See:</b> memfd_create(2), docs/spec/shm-layout.md.
 */
public final class ShmHost implements AutoCloseable {
    /** The most guests at a time. */
    public static final int MAX_PEERS = HostLinks.MOST;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final HostConfig config;
    private final @Nullable HostFolder folder;
    private final @Nullable GuestDoor door;
    private final HostLinks links = new HostLinks();
    private final PeerDeaths deaths;
    private boolean closed;

    private ShmHost(HostConfig config, @Nullable HostFolder folder) {
        this.config = config;
        this.folder = folder;
        deaths = new PeerDeaths(config::loop, this::peers);
        door = folder == null ? null : GuestDoor.open(folder.socket(), config, this::addPeer);
    }

    /** A host for its own children, as {@link #create(HostConfig)} with the defaults. */
    public static ShmHost create() {
        return create(HostConfig.defaults());
    }

    /** A host for its own children. Its links are memfds: they have no name in any file system. */
    public static ShmHost create(HostConfig config) {
        if (config.isInFiles()) {
            throw new IllegalArgumentException(
                    "inFiles: this host has no directory for them; use create(directory, config)");
        }
        return new ShmHost(config, null);
    }

    /**
     * A host with a directory, by whose socket other processes of this user attach: {@link ShmGuest#connect}.
     *
     * @param directory is made, with mode 700, and removed by the close. One that is there is taken over if it is empty, or
     *     its host is dead. It is best below /dev/shm or /run, and has at most 100 bytes, since a socket goes into it
     * @throws IllegalStateException if another host lives there; if it is a link or no directory, another user's, or open to others;
     *     if something else is in it
     * @throws dev.carillon.SyscallException if it cannot be made
     * @throws IllegalArgumentException if its name is too long
     */
    public static ShmHost create(Path directory, HostConfig config) {
        HostFolder folder = HostFolder.claim(directory);
        boolean created = false;
        try {
            ShmHost host = new ShmHost(config, folder);
            created = true;
            return host;
        } finally {
            if (!created) {
                folder.close();
            }
        }
    }

    /**
     * Makes a link, and the ticket by which a guest attaches to it. All its memory is reserved now.
     *
     * <p>The guest gets an id that no other one has: as long as there is one, that of no open link; then that of a guest which is
     * gone.
     *
     * @throws IllegalStateException if there are 255 guests, or 255 links of guests that are gone and that were not closed
     * @throws dev.carillon.SyscallException if descriptors or memory are short; nothing is left behind then
     * @throws java.util.concurrent.RejectedExecutionException if the host's loop has ended
     */
    public PeerTicket addPeer(LinkConfig link) {
        return addPeer(link, 0);
    }

    /**
     * As {@link #addPeer(LinkConfig)}, for a guest that takes the place of another one: it gets this id, with the next incarnation
     * and memory of its own. What the one before had sent can still be received on its link, until that is closed.
     *
     * @param id 1 to 255
     * @throws IllegalStateException if a guest with this id is there, or expected
     */
    public synchronized PeerTicket addPeer(int id, LinkConfig link) {
        ensureOpen();
        if (id < 1 || id > MAX_PEERS) {
            throw new IllegalArgumentException("id=" + id + ": ids of guests are 1 to " + MAX_PEERS);
        }
        links.free(id);
        return addPeer(id, link, 0);
    }

    /** As {@link #addPeer(LinkConfig)}, with counters that do not start at 0. */
    synchronized PeerTicket addPeer(LinkConfig shape, long start) {
        ensureOpen();
        return addPeer(links.freeId(), shape, start);
    }

    private void ensureOpen() {
        if (closed) {
            throw new ClosedException("this host is closed and makes no more links");
        }
    }

    private PeerTicket addPeer(int id, LinkConfig shape, long start) {
        int incarnation = links.nextIncarnation(id);
        SegmentLayout layout = shape.layout();
        MemoryRegion region = folder != null && config.isInFiles()
                ? folder.links().create(id, layout.total())
                : memfd("carillon-link-" + id, layout.total());
        @Nullable DoorbellPair bells = null;
        boolean made = false;
        try {
            SegmentIdentity identity = identity(id);
            LinkMemory memory = region.guarded(() -> LinkMemory.create(region, identity, layout, start, incarnation));
            bells = Doorbell.pair();
            ShmLink link = new ShmLink(memory, LinkMemory.Side.HOST, bells.host());
            Reservation reservation = new Reservation(config.loop(), config.reserveFor(), link, bells.guest());
            PeerTicket ticket = new PeerTicket(link, region, bells.guest(), identity, reservation);
            // A ticket that nobody uses goes with its link.
            region.beforeRelease(reservation::close);
            links.put(id, link, incarnation);
            made = true;
            deaths.add(link);
            return ticket;
        } finally {
            if (!made) {
                closeAll(region, bells);
            }
        }
    }

    private static MemoryRegion memfd(String name, long size) {
        try {
            return MemoryRegion.memfd(name, size);
        } catch (SyscallException failure) {
            if (!failure.call().equals("memfd_create") || Errno.isTransient(failure.errno())) {
                throw failure;
            }
            throw Failure.about(
                    failure,
                    "the memory of a link",
                    "a container's seccomp profile hides this call or forbids it; allow it there, or have links in files,"
                            + " by HostConfig.inFiles and ShmHost.create(directory, config)");
        }
    }

    private static void closeAll(MemoryRegion region, @Nullable DoorbellPair bells) {
        try {
            region.close();
        } finally {
            if (bells != null) {
                bells.close();
            }
        }
    }

    private static SegmentIdentity identity(int peerId) {
        int pid = (int) ProcessHandle.current().pid();
        // Without /proc it is not known; no process has started at 0.
        long startTime = Math.max(0, Sys.get().processes().startTime(pid));
        return new SegmentIdentity(RANDOM.nextLong(), RANDOM.nextLong() | 1, pid, startTime, peerId);
    }

    /**
     * Starts a guest that attaches with {@link ShmGuest#attachFromEnvironment}, watched on the host's loop.
     *
     * @param guest what to run; gets two descriptors, 3 and 4, and a variable of the environment that names them
     * @throws dev.carillon.process.SpawnException if it cannot be run; ticket and command can be used again
     * @throws ClosedException if the host, the link or the ticket was closed, or the ticket was used
     */
    public Child spawn(Spawn.Builder guest, PeerTicket ticket) {
        return spawn(guest, ticket, config.loop());
    }

    /** As {@link #spawn(Spawn.Builder, PeerTicket)}, watched on a loop of the caller's. */
    public Child spawn(Spawn.Builder guest, PeerTicket ticket, EventLoop loop) {
        return ticket.spawn(guest, loop);
    }

    /**
     * Tells a handler of each guest that dies: whose process ends, be it killed, without a goodbye. It is called once for each
     * link, on the loop of the host, with what is known of the guest; also for guests that have died before this call, if their
     * links are open. All links are watched from now on, which takes three descriptors each.
     *
     * <p>When it is called, the process is gone, so another guest can do its work: {@link #addPeer(int, LinkConfig)} gives it the same
     * id. A guest that has let go of its bell, so that its link is over, but runs on, is told when it ends; one that this host has
     * spawned is killed a second later, and of one that came by the socket the close of the link tells, too. Only of a process that
     * cannot be watched, as in another pid namespace, the bell alone tells.
     *
     * <p>What the guest had sent is received as before; then close the link.
     *
     * @throws IllegalStateException if there is a handler already
     */
    public synchronized void onPeerDeath(PeerDeathHandler handler) {
        if (closed) {
            throw new ClosedException("this host is closed, and has no guests any more");
        }
        deaths.tell(Objects.requireNonNull(handler, "handler"));
    }

    /** The links that are open, by the id of the guest; of those with one id the last one. */
    public synchronized List<ShmLink> peers() {
        return links.open();
    }

    /** The link of a guest, the last one with this id, or null if it is closed or never was. */
    public synchronized @Nullable ShmLink peer(int id) {
        return links.get(id);
    }

    /** Closes all links, and removes the directory; a second call does nothing. */
    @Override
    public void close() {
        deaths.close();
        try {
            if (door != null) {
                door.close();
            }
        } finally {
            closeAll(takeAll().iterator());
        }
    }

    /** Each is closed, whatever the close of another one throws; the directory goes last. */
    private void closeAll(Iterator<ShmLink> all) {
        if (all.hasNext()) {
            try {
                all.next().close();
            } finally {
                closeAll(all);
            }
        } else if (folder != null) {
            folder.close();
        }
    }

    private synchronized List<ShmLink> takeAll() {
        closed = true;
        return links.takeAll();
    }

    @Override
    public synchronized String toString() {
        return "ShmHost[links=" + links.size() + (closed ? ", closed]" : "]");
    }
}
