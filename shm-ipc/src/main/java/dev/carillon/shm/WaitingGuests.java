package dev.carillon.shm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Connections at the door of a host that have no place yet: those that have not said all of their hello, and those that wait. The
 * processes take turns, so that one with many connections is not before all others.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WaitingGuests implements AutoCloseable {
    /** Each of them has a descriptor. */
    static final int MOST = 256;

    /** The oldest first. */
    private final Set<GuestArrival> coming = new LinkedHashSet<>();

    /** Those that have said hello by the process id, in the order of their turns. */
    private final Map<Integer, Queue<GuestArrival>> byProcess = new LinkedHashMap<>();

    private boolean closed;

    /** One has connected; false if there is nobody who would let it in. */
    synchronized boolean add(GuestArrival arrival) {
        return !closed && coming.add(arrival);
    }

    /** It has said hello, and waits from now on. */
    synchronized void hasGreeted(GuestArrival arrival) {
        if (coming.remove(arrival)) {
            byProcess
                    .computeIfAbsent(arrival.process(), process -> new ArrayDeque<>())
                    .add(arrival);
        }
    }

    /** It has ended. */
    synchronized void remove(GuestArrival arrival) {
        Queue<GuestArrival> same = byProcess.get(arrival.process());
        if (!coming.remove(arrival) && same != null && same.remove(arrival) && same.isEmpty()) {
            byProcess.remove(arrival.process());
        }
    }

    /** Whether no more are to be let in here. */
    synchronized boolean isFull() {
        return coming.size() + byProcess.values().stream().mapToInt(Queue::size).sum() >= MOST;
    }

    /**
     * The next one whose turn it is.
     *
     * @param mayEnter whether one of that process may
     * @return null if none may
     */
    synchronized @Nullable GuestArrival take(IntPredicate mayEnter) {
        for (Map.Entry<Integer, Queue<GuestArrival>> each : byProcess.entrySet()) {
            if (mayEnter.test(each.getKey())) {
                return poll(each.getKey(), each.getValue());
            }
        }
        return null;
    }

    /** The oldest of a process, whose next turn is the last one. */
    private GuestArrival poll(Integer process, Queue<GuestArrival> same) {
        GuestArrival oldest = same.remove();
        byProcess.remove(process);
        if (!same.isEmpty()) {
            byProcess.put(process, same);
        }
        return oldest;
    }

    /** Those that are silent, of the process that has most of these. */
    synchronized List<GuestArrival> silent(Predicate<GuestArrival> isSilent) {
        return largest(coming.stream()
                .filter(isSilent)
                .collect(Collectors.groupingBy(GuestArrival::process))
                .values());
    }

    /** The older half of those that wait, of the process that has most of these. */
    synchronized List<GuestArrival> crowd() {
        List<GuestArrival> most = largest(byProcess.values());
        return most.subList(0, (most.size() + 1) / 2);
    }

    private static List<GuestArrival> largest(Collection<? extends Collection<GuestArrival>> groups) {
        return groups.stream()
                .max(Comparator.comparingInt(Collection::size))
                .map(List::copyOf)
                .orElse(List.of());
    }

    /** All of them. */
    synchronized List<GuestArrival> all() {
        List<GuestArrival> all = new ArrayList<>(coming);
        byProcess.values().forEach(all::addAll);
        return all;
    }

    /** Hangs up on all; more are not taken. */
    @Override
    public synchronized void close() {
        closed = true;
        all().forEach(GuestArrival::hangUp);
    }

    @Override
    public synchronized String toString() {
        return "WaitingGuests[" + coming.size() + " coming, " + byProcess.size() + " processes wait]";
    }
}
