package dev.carillon.shm;

import java.util.Arrays;

/**
 * The other side of a {@link ListenWaitWorld}, what both sides share, and the kernel: a bell that remembers one ring, and a futex
 * that compares and puts to sleep in one step.
 */
final class ListenWaitPeer {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        NO_SECOND_LOOK,
        PLACE_AFTER_THE_LOOKS,
        RING_BEFORE_PUBLISHING,
        DATA_BEFORE_THE_END,
        LOOKER_KEEPS_THE_RING,
        LOOKER_TELLS_THE_LOOP_NOTHING_OF_THE_PEER,
        LOST_WATCH_TELLS_NO_LISTENER,
        LOST_WATCH_LEAVES_SLEEPERS,
        DEATH_SIGNALS_ONLY,
        DEATH_TELLS_NO_LISTENER
    }

    /**
     * What there is.
     *
     * @param frames that the peer sends
     * @param stage whether a stage receives on a loop; else there is the thread alone
     * @param thread whether a thread waits for room
     * @param kills whether the peer is killed
     * @param heir whether somebody else has the peer's end of the bell, which does not hang up then; the peer has rung before
     * @param fails whether the watch of the process fails, once
     */
    record Setup(int frames, boolean stage, boolean thread, boolean kills, boolean heir, boolean fails) {}

    private enum At {
        ATTACH,
        GREET,
        PUBLISH,
        SIGNAL,
        TAKE,
        RING,
        GIVE,
        SIGNAL_ROOM,
        TAKE_ROOM,
        WAKE,
        END
    }

    private final Plan plan;
    private final Setup setup;
    private At at = At.ATTACH;
    int published;
    boolean room;
    boolean listens;
    boolean sleeps;
    int count;
    boolean attached;
    boolean dead;
    boolean rung;

    /** The thread of the other side is in the kernel. */
    boolean asleep;

    ListenWaitPeer(Plan plan, Setup setup) {
        this.plan = plan;
        this.setup = setup;
    }

    boolean canStep() {
        return !dead && at != At.END;
    }

    boolean canBeKilled() {
        return setup.kills() && !dead && (!setup.heir() || at.compareTo(At.GREET) > 0);
    }

    boolean isHungUp() {
        return dead && !setup.heir();
    }

    void step() {
        at = stepped();
    }

    private At stepped() {
        boolean early = plan == Plan.RING_BEFORE_PUBLISHING;
        return switch (at) {
            case ATTACH -> {
                attached = true;
                yield At.GREET;
            }
            case GREET -> {
                rung = true;
                yield early ? At.SIGNAL : At.PUBLISH;
            }
            case PUBLISH -> {
                published++;
                yield early ? following() : At.SIGNAL;
            }
            case SIGNAL -> listens ? At.TAKE : early ? At.PUBLISH : following();
            case TAKE -> {
                listens = false;
                yield At.RING;
            }
            case RING -> {
                rung = true;
                yield early ? At.PUBLISH : following();
            }
            case GIVE -> {
                room = true;
                yield At.SIGNAL_ROOM;
            }
            case SIGNAL_ROOM -> sleeps ? At.TAKE_ROOM : At.END;
            case TAKE_ROOM -> {
                sleeps = false;
                yield At.WAKE;
            }
            case WAKE -> {
                wake();
                yield At.END;
            }
            default -> throw new IllegalStateException(at.name());
        };
    }

    private At following() {
        if (published < setup.frames()) {
            return plan == Plan.RING_BEFORE_PUBLISHING ? At.SIGNAL : At.PUBLISH;
        }
        return setup.thread() ? At.GIVE : At.END;
    }

    /** The count changes, and the sleeper wakes. */
    void wake() {
        count++;
        asleep = false;
    }

    String state(int key) {
        return at + " " + published + " " + (count - key)
                + Arrays.toString(new boolean[] {room, listens, sleeps, attached, dead, rung, asleep});
    }
}
