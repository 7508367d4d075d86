package dev.carillon.shm;

import dev.carillon.io.StreamSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Connections that wait at the door of a host: the processes take turns, so that one with many connections is not before all
 * others.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WaitingGuests implements AutoCloseable {
    /** Each of them has a descriptor. */
    private static final int MOST = 256;

    /** By the process id, in the order of their turns. */
    private final Map<Integer, Queue<StreamSocket>> byProcess = new LinkedHashMap<>();

    private int size;
    private boolean closed;

    /** Lets one wait. If those are too many, that one ends which has waited longest in the process that has most. */
    synchronized void add(StreamSocket socket) {
        boolean waits = false;
        try {
            if (!closed) {
                byProcess
                        .computeIfAbsent(socket.peerCredentials().pid(), process -> new ArrayDeque<>())
                        .add(socket);
                size++;
                waits = true;
            }
        } finally {
            if (!waits) {
                socket.close();
            }
        }
        if (size > MOST) {
            byProcess.entrySet().stream()
                    .max(Comparator.comparingInt(each -> each.getValue().size()))
                    .ifPresent(crowd -> poll(crowd.getKey(), crowd.getValue()).close());
        }
    }

    /**
     * The next one whose turn it is.
     *
     * @param mayEnter whether one of that process may
     * @return null if none may
     */
    synchronized @Nullable StreamSocket take(IntPredicate mayEnter) {
        for (Map.Entry<Integer, Queue<StreamSocket>> each : List.copyOf(byProcess.entrySet())) {
            if (mayEnter.test(each.getKey())) {
                return poll(each.getKey(), each.getValue());
            }
        }
        return null;
    }

    /** The oldest of a process, whose next turn is the last one. */
    private StreamSocket poll(Integer process, Queue<StreamSocket> sockets) {
        StreamSocket oldest = sockets.remove();
        size--;
        byProcess.remove(process);
        if (!sockets.isEmpty()) {
            byProcess.put(process, sockets);
        }
        return oldest;
    }

    @Override
    public synchronized void close() {
        closed = true;
        List<StreamSocket> all = new ArrayList<>();
        byProcess.values().forEach(all::addAll);
        byProcess.clear();
        size = 0;
        all.forEach(StreamSocket::close);
    }

    @Override
    public synchronized String toString() {
        return "WaitingGuests[" + size + " of " + byProcess.size() + " processes]";
    }
}
