package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.call.Sys;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
    public static final int MAX_PEERS = 255;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final HostConfig config;
    private final @Nullable HostFolder folder;
    private final @Nullable GuestDoor door;
    private final Map<Integer, ShmLink> links = new TreeMap<>();
    private final PeerDeaths deaths;

    /** How often each id was used. */
    private final int[] incarnations = new int[MAX_PEERS + 1];

    private int lastId;
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
     * @throws IllegalStateException if there are 255 guests
     * @throws dev.carillon.SyscallException if descriptors or memory are short; nothing is left behind then
     * @throws java.util.concurrent.RejectedExecutionException if the host's loop has ended
     */
    public PeerTicket addPeer(LinkConfig link) {
        return addPeer(link, 0);
    }

    /** As {@link #addPeer(LinkConfig)}, with counters that do not start at 0. */
    synchronized PeerTicket addPeer(LinkConfig shape, long start) {
        if (closed) {
            throw new ClosedException("this host is closed and makes no more links");
        }
        int id = freeId();
        int incarnation = LinkWord.nextIncarnation(incarnations[id]);
        SegmentLayout layout = shape.layout();
        MemoryRegion region = folder != null && config.isInFiles()
                ? folder.memory(id, layout.total())
                : MemoryRegion.memfd("carillon-link-" + id, layout.total());
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
            region.beforeRelease(bells.guest()::close);
            links.put(id, link);
            incarnations[id] = incarnation;
            made = true;
            deaths.add(link);
            return ticket;
        } finally {
            if (!made) {
                closeAll(region, bells);
            }
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

    /** The ids go round, so that one that was used lately is not used at once. */
    private int freeId() {
        links.values().removeIf(link -> !link.isOpen());
        if (links.size() == MAX_PEERS) {
            throw new IllegalStateException("this host has " + MAX_PEERS
                    + " guests, which is the most; close() the links of those that are gone, the host does not do it");
        }
        do {
            lastId = lastId % MAX_PEERS + 1;
        } while (links.containsKey(lastId));
        return lastId;
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
        Child child = ticket.spawn(guest, loop);
        ticket.used();
        return child;
    }

    /**
     * Tells a handler of each guest that dies: whose process ends, be it killed, without a goodbye. It is called once for each
     * link, on the loop of the host, with what is known of the guest; also for guests that have died before this call, if their
     * links are open. All links are watched from now on, which takes three descriptors each.
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

    /** The links that are open, by the id of the guest. */
    public synchronized List<ShmLink> peers() {
        links.values().removeIf(link -> !link.isOpen());
        return List.copyOf(links.values());
    }

    /** The link of a guest, or null if it is closed or never was. */
    public synchronized @Nullable ShmLink peer(int id) {
        ShmLink link = links.get(id);
        return link != null && link.isOpen() ? link : null;
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
        List<ShmLink> all = List.copyOf(links.values());
        links.clear();
        return all;
    }

    @Override
    public synchronized String toString() {
        return "ShmHost[links=" + links.size() + (closed ? ", closed]" : "]");
    }
}
