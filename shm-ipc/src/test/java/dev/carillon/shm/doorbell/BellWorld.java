package dev.carillon.shm.doorbell;

import dev.carillon.sys.Errno;
import dev.carillon.test.Interleavings;

/**
 * A receiver that sleeps on its bell, and a sender that publishes items, rings after each, and then dies or goes on
 * living in silence.
 *
 * <p>What a read means is the shipped {@link DrainProgress}; the kernel's socket is modelled: one step for each system call.
 */
final class BellWorld implements Interleavings.World {
    /** What the receiver does. */
    enum Plan {
        /** Polls, drains, looks. */
        SHIPPED,
        /** Looks before it drains. */
        DRAIN_AFTER_LOOK,
        /** Believes a hang-up before it has read what was rung. */
        HANG_UP_BEFORE_DATA,
        /** On a loop: told of edges only, reads until nothing is left. */
        EDGES,
        /** On a loop, but stops at a short read as the blocking wait does. */
        EDGES_STOPPED_SHORT,
        /** The sender rings before it publishes. */
        RING_BEFORE_PUBLISHING
    }

    private enum At {
        POLL,
        READ,
        LOOK,
        FIRST,
        SECOND,
        CLOSE,
        END
    }

    private static final int CAPACITY = 2;
    private static final int BUFFER = 3;

    private final Plan plan;
    private final boolean dies;
    private final DrainProgress draining;
    private At receiver = At.POLL;
    private At sender = At.FIRST;
    private int left;
    private int items;
    private int rings;
    private boolean closed;
    private boolean edge;
    private boolean looked;
    private int deaths;

    BellWorld(int items, boolean dies, Plan plan) {
        this.plan = plan;
        this.dies = dies;
        left = items;
        draining = new DrainProgress(CAPACITY, 2, plan == Plan.EDGES);
    }

    private boolean onEdges() {
        return plan == Plan.EDGES || plan == Plan.EDGES_STOPPED_SHORT;
    }

    @Override
    public int actors() {
        return 2;
    }

    @Override
    public boolean canStep(int actor) {
        if (actor == 1) {
            return sender != At.END;
        }
        return receiver != At.END && (receiver != At.POLL || (onEdges() ? edge : rings > 0 || closed));
    }

    @Override
    public void step(int actor) {
        if (actor == 1) {
            sender = send();
        } else {
            receiver = receive();
        }
    }

    private At send() {
        boolean ringFirst = plan == Plan.RING_BEFORE_PUBLISHING;
        switch (sender) {
            case FIRST, SECOND -> {
                if ((sender == At.FIRST) != ringFirst) {
                    items++;
                } else {
                    // A full buffer: the ring is a success, as the receiver has one to read.
                    rings = Math.min(BUFFER, rings + 1);
                    edge = true;
                }
                if (sender == At.FIRST) {
                    return At.SECOND;
                }
                left--;
                return left > 0 ? At.FIRST : dies ? At.CLOSE : At.END;
            }
            default -> {
                closed = true;
                edge = true;
                return At.END;
            }
        }
    }

    private At receive() {
        switch (receiver) {
            case POLL -> {
                edge = false;
                looked = false;
                draining.begin();
                if (plan == Plan.HANG_UP_BEFORE_DATA && closed) {
                    deaths++;
                    return At.END;
                }
                return plan == Plan.DRAIN_AFTER_LOOK ? At.LOOK : At.READ;
            }
            case READ -> {
                boolean more = draining.took(read());
                if (more) {
                    return At.READ;
                }
                if (draining.event() == DoorbellEvent.RUNG && !looked) {
                    return At.LOOK;
                }
                return after();
            }
            default -> {
                items = 0;
                if (!looked && plan == Plan.DRAIN_AFTER_LOOK) {
                    looked = true;
                    return At.READ;
                }
                return after();
            }
        }
    }

    /** What was told is worked off: on to the next. */
    private At after() {
        boolean dead = draining.event() == DoorbellEvent.PEER_GONE || (onEdges() && draining.sawEnd());
        deaths += dead ? 1 : 0;
        if (!dead && onEdges() && draining.hasLeftSome()) {
            draining.begin();
            return At.READ;
        }
        return dead ? At.END : At.POLL;
    }

    private long read() {
        if (rings > 0) {
            int taken = Math.min(CAPACITY, rings);
            rings -= taken;
            return taken;
        }
        return closed ? 0 : -Errno.EAGAIN;
    }

    @Override
    public void verifyEnd() {
        if (items > 0) {
            throw new AssertionError("lost: " + items + " items that the receiver never looked at");
        }
        if (deaths != (dies ? 1 : 0)) {
            throw new AssertionError("the death was told " + deaths + " times");
        }
    }

    @Override
    public String state() {
        return receiver + " " + sender + left + " " + items + " " + rings + closed + edge + looked + deaths + " "
                + draining.event() + draining.sawEnd() + draining.hasLeftSome() + draining.readsSoFar();
    }
}
