package dev.carillon.shm;

import dev.carillon.shm.segment.LinkWord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The links of a host by the ids of their guests, and those of guests that are gone, whose ids others have now.
 *
 * <p><b>Threading:</b> under the lock of its host.
 *
 * <p><b>Ownership:</b> the host closes the links.
 */
final class HostLinks {
    /** How many guests a host has at most. */
    static final int MOST = 255;

    private final Map<Integer, ShmLink> byId = new TreeMap<>();

    /** Those of guests that are gone, not closed yet. */
    private final Set<ShmLink> left = new HashSet<>();

    /** How often each id was used. */
    private final int[] incarnations = new int[MOST + 1];

    private int lastId;

    /** That of a guest, the last one with this id, or null if it is closed or never was. */
    @Nullable
    ShmLink get(int id) {
        ShmLink link = byId.get(id);
        return link != null && link.isOpen() ? link : null;
    }

    /** Those that are open, by the id of the guest; of those with one id the last one. */
    List<ShmLink> open() {
        byId.values().removeIf(link -> !link.isOpen());
        return List.copyOf(byId.values());
    }

    int size() {
        return byId.size();
    }

    /** How often an id will have been used with its next guest. */
    int nextIncarnation(int id) {
        return LinkWord.nextIncarnation(incarnations[id]);
    }

    /** A guest of an id that is free. */
    void put(int id, ShmLink link, int incarnation) {
        byId.put(id, link);
        incarnations[id] = incarnation;
    }

    /** An id that is free, or becomes so; they go round, so that one that was used lately is not used at once. */
    int freeId() {
        byId.values().removeIf(link -> !link.isOpen());
        boolean full = byId.size() == MOST;
        for (int i = 0; i < MOST; i++) {
            lastId = lastId % MOST + 1;
            ShmLink before = byId.get(lastId);
            if (before == null) {
                return lastId;
            }
            if (full && before.peerState().isOver()) {
                replace(lastId, before);
                return lastId;
            }
        }
        throw new IllegalStateException(
                "this host has " + MOST + " guests, which is the most; end some of them, or have another host");
    }

    /**
     * Has an id free for another guest.
     *
     * @throws IllegalStateException if a guest with this id is there, or expected
     */
    void free(int id) {
        ShmLink before = get(id);
        if (before != null) {
            replace(id, before);
        }
    }

    // r[impl shm.recovery]
    /** A guest that is gone makes room for another one with its id; what it had sent can be received as before. */
    private void replace(int id, ShmLink before) {
        if (!before.peerState().isOver()) {
            throw new IllegalStateException(
                    "id=" + id + ": the guest " + before
                            + " has it; close() that link before another guest gets its id, or take any id with addPeer(config)");
        }
        left.removeIf(link -> !link.isOpen());
        if (left.size() == MOST) {
            throw new IllegalStateException("this host has links to " + MOST
                    + " guests that are gone; receive what they have sent, and close() them: the host does not do it");
        }
        left.add(before);
        byId.remove(id);
    }

    /** All, which are the caller's from now on. */
    List<ShmLink> takeAll() {
        List<ShmLink> all = new ArrayList<>(byId.values());
        all.addAll(left);
        byId.clear();
        left.clear();
        return all;
    }
}
