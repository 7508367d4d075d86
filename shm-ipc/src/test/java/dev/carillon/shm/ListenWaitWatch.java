package dev.carillon.shm;

import dev.carillon.shm.ListenWaitPeer.Plan;
import java.util.ArrayDeque;
import java.util.Arrays;

/** What {@link PeerWatch} does in a {@link ListenWaitWorld}, and what the loop has still to do. */
final class ListenWaitWatch {
    enum Task {
        CONFIRM,
        TELL,
        SLICE
    }

    private final Plan plan;
    private final ListenWaitPeer peer;
    final ArrayDeque<Task> tasks = new ArrayDeque<>();
    boolean over;
    boolean watched;
    boolean bellWatched;
    boolean processWatched;
    private boolean failed;

    ListenWaitWatch(Plan plan, ListenWaitPeer peer) {
        this.plan = plan;
        this.peer = peer;
    }

    /** Twice the same one after the other does the same as once. */
    void later(Task task) {
        if (tasks.peekLast() != task) {
            tasks.add(task);
        }
    }

    void confirm() {
        if (!over) {
            bellWatched = true;
            processWatched = peer.attached;
            watched = true;
        }
    }

    void readOnAnyThread() {
        if (peer.rung) {
            peer.rung = false;
            if (plan != Plan.LOOKER_KEEPS_THE_RING) {
                later(Task.TELL);
            }
            if (plan != Plan.LOOKER_TELLS_THE_LOOP_NOTHING_OF_THE_PEER) {
                later(Task.CONFIRM);
            }
        }
    }

    void endLink() {
        if (over) {
            return;
        }
        over = true;
        watched = true;
        if (plan != Plan.DEATH_SIGNALS_ONLY || peer.sleeps) {
            peer.sleeps = false;
            peer.wake();
        }
        if (plan != Plan.DEATH_TELLS_NO_LISTENER) {
            later(Task.TELL);
        }
    }

    void fail() {
        failed = true;
        processWatched = false;
        if (watched) {
            watched = false;
            peer.wake();
            if (plan != Plan.LOST_WATCH_TELLS_NO_LISTENER) {
                later(Task.TELL);
            }
        }
    }

    boolean canFail() {
        return processWatched && !failed;
    }

    String state() {
        return tasks + Arrays.toString(new boolean[] {over, watched, bellWatched, processWatched, failed});
    }
}
