package dev.carillon.shm;

import dev.carillon.shm.ListenWaitPeer.Plan;
import dev.carillon.shm.ListenWaitPeer.Setup;
import dev.carillon.shm.ListenWaitWatch.Task;

/** The thread that sleeps for room in a {@link ListenWaitWorld}, as {@link LinkWait} does. */
final class ListenWaitThread {
    private enum At {
        WATCHED,
        READ,
        LOOK,
        KEY,
        ANNOUNCE,
        LOOK_AGAIN,
        WAIT,
        ASLEEP,
        END
    }

    private final Plan plan;
    private final ListenWaitPeer peer;
    private final ListenWaitWatch watch;
    private At at;
    private boolean sleepsLong;
    private int key;

    ListenWaitThread(Plan plan, Setup setup, ListenWaitPeer peer, ListenWaitWatch watch) {
        this.plan = plan;
        this.peer = peer;
        this.watch = watch;
        at = setup.thread() ? At.WATCHED : At.END;
    }

    boolean canStep() {
        return at == At.ASLEEP ? !peer.asleep || (!sleepsLong && watch.tasks.isEmpty()) : !hasEnded();
    }

    boolean hasEnded() {
        return at == At.END;
    }

    void step() {
        at = stepped();
    }

    private At stepped() {
        return switch (at) {
            case WATCHED -> {
                sleepsLong = watch.watched;
                if (!watch.watched) {
                    watch.later(Task.CONFIRM);
                }
                yield watch.watched ? At.LOOK : At.READ;
            }
            case READ -> {
                watch.readOnAnyThread();
                if (peer.isHungUp()) {
                    watch.endLink();
                }
                sleepsLong = watch.watched;
                yield At.LOOK;
            }
            case LOOK -> lookOnce(At.KEY);
            case KEY -> {
                key = peer.count;
                yield At.ANNOUNCE;
            }
            case ANNOUNCE -> {
                peer.sleeps = true;
                yield At.LOOK_AGAIN;
            }
            case LOOK_AGAIN -> lookOnce(At.WAIT);
            case WAIT -> {
                peer.asleep = peer.count == key;
                yield peer.asleep ? At.ASLEEP : At.LOOK;
            }
            case ASLEEP -> {
                boolean late = peer.asleep;
                peer.asleep = false;
                yield late ? At.WATCHED : At.LOOK;
            }
            default -> throw new IllegalStateException(at.name());
        };
    }

    private At lookOnce(At next) {
        if (peer.room || watch.over) {
            return At.END;
        }
        boolean lost = sleepsLong && !watch.watched && plan != Plan.LOST_WATCH_LEAVES_SLEEPERS;
        return lost ? At.WATCHED : next;
    }

    /** What it has read of the count. */
    int key() {
        return key;
    }

    String state() {
        return at + " " + sleepsLong;
    }
}
