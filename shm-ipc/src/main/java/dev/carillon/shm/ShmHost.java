package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.call.Sys;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
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

    private final Map<Integer, ShmLink> links = new TreeMap<>();
    private int lastId;
    private boolean closed;

    private ShmHost() {}

    /** A host whose links are memfds: they have no name in any file system. */
    public static ShmHost create() {
        return new ShmHost();
    }

    /**
     * Makes a link, and the ticket by which a guest attaches to it. All its memory is reserved now.
     *
     * @throws IllegalStateException if there are 255 guests
     * @throws dev.carillon.SyscallException if descriptors or memory are short; nothing is left behind then
     */
    public PeerTicket addPeer(LinkConfig config) {
        return addPeer(config, 0);
    }

    /** As {@link #addPeer(LinkConfig)}, with counters that do not start at 0. */
    synchronized PeerTicket addPeer(LinkConfig config, long start) {
        if (closed) {
            throw new ClosedException("this host is closed and makes no more links");
        }
        int id = freeId();
        SegmentLayout layout = config.layout();
        MemoryRegion region = MemoryRegion.memfd("carillon-link-" + id, layout.total());
        @Nullable DoorbellPair bells = null;
        boolean made = false;
        try {
            LinkMemory memory = LinkMemory.create(region, identity(id), layout, start);
            bells = Doorbell.pair();
            ShmLink link = new ShmLink(memory, LinkMemory.Side.HOST, bells.host());
            PeerTicket ticket = new PeerTicket(link, region.fd(), bells.guest());
            links.put(id, link);
            made = true;
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
                    + " guests, which is the most; close the links of those that are gone");
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
     * Starts a guest that attaches with {@link ShmGuest#attachFromEnvironment}, watched on the shared loop.
     *
     * @param guest what to run; gets two descriptors, 3 and 4, and a variable of the environment that names them
     * @throws dev.carillon.process.SpawnException if it cannot be run; the ticket can be used again
     */
    public Child spawn(Spawn.Builder guest, PeerTicket ticket) {
        return spawn(guest, ticket, EventLoop.shared());
    }

    /** As {@link #spawn(Spawn.Builder, PeerTicket)}, watched on a loop of the caller's. */
    public Child spawn(Spawn.Builder guest, PeerTicket ticket, EventLoop loop) {
        ticket.handTo(guest);
        Child child = guest.start(loop);
        ticket.used();
        return child;
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

    /** Closes all links; a second call does nothing. */
    @Override
    public void close() {
        for (ShmLink link : takeAll()) {
            link.close();
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
