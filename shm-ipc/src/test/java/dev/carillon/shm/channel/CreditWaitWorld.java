package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Interleavings;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * A sender that sleeps on the event count of its channel whenever it has too little credit; a peer that accepts, takes what has
 * come and grants it anew; and somebody who ends the channel or the peer. The credit is the shipped one; the steps of an event
 * count are modelled, as {@code EventCountTest} has shown them to be right, and so is the kernel.
 */
final class CreditWaitWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        NO_SECOND_LOOK,
        SIGNAL_BEFORE_GRANT,
        SIGNAL_BEFORE_ACCEPT,
        NO_SIGNAL_ON_ACCEPT,
        GRANT_HALVES_ONLY,
        SLEEP_ON_THE_TOTAL,
        SECOND_LOOK_AT_CREDIT_ONLY,
        NO_SIGNAL_AT_THE_END,
        SIGNAL_BEFORE_THE_END,
        SIGNAL_INSTEAD_OF_RECOVERY
    }

    /** What ends the wait besides credit. */
    enum Ending {
        NONE,
        RESET,
        CLOSE,
        DEATH
    }

    private enum At {
        LOOK,
        SEND,
        KEY,
        ANNOUNCE,
        LOOK_AGAIN,
        WAIT,
        ASLEEP,
        ACCEPT,
        TAKE,
        GRANT,
        END_IT,
        HAS_SLEEPERS,
        TAKE_SLEEPERS,
        INCREMENT,
        WAKE,
        END
    }

    static final int SIZE = 128;
    private static final int INDEX = 1;
    private static final int ID = ChannelId.of(1, INDEX);
    private static final int WINDOW = 4;

    /** One that needs the whole window comes after one of less than half of it. */
    private static final int[] COSTS = {1, 4, 3};

    private static final int SENDER = 0;
    private static final int RECEIVER = 1;
    private static final int ENDER = 2;

    private final OrderedBytes bytes;
    private final CreditPlace place = new CreditPlace(0, 2, WINDOW);
    private final Plan plan;
    private final Ending ending;
    private final int frames;
    private final SendCredit credit;
    private final ReceiveCredit grants;
    private final Queue<Integer> ring = new ArrayDeque<>();
    private final At[] at = {At.LOOK, At.ACCEPT, At.END_IT};
    private int sent;
    private boolean closed;
    private boolean dead;
    private boolean accepted;
    private boolean announced;
    private int count;
    private long key;

    CreditWaitWorld(OrderedBytes bytes, Plan plan, Ending ending, long start, int frames) {
        this.bytes = bytes;
        this.plan = plan;
        this.ending = ending;
        this.frames = frames;
        for (int offset = 0; offset < SIZE; offset += Long.BYTES) {
            bytes.putLong(offset, 0);
        }
        place.begin(bytes, start);
        credit = new SendCredit(bytes, place, ID, start);
        grants = new ReceiveCredit(this, bytes, place, ID, start);
    }

    @Override
    public int actors() {
        return at.length;
    }

    @Override
    public boolean canStep(int actor) {
        return switch (at[actor]) {
            case END, ASLEEP -> false;
            case TAKE -> !ring.isEmpty() && !closes();
            case END_IT -> ending != Ending.NONE;
            default -> true;
        };
    }

    @Override
    public void step(int actor) {
        at[actor] = actor == SENDER ? send() : wakes(actor);
    }

    /** The peer of a channel that is closed takes nothing before, so that nothing else wakes the sender. */
    private boolean closes() {
        return ending == Ending.CLOSE;
    }

    private int cost() {
        return COSTS[sent % COSTS.length];
    }

    private boolean isOver() {
        return dead || closed || credit.isReset();
    }

    private At send() {
        return switch (at[SENDER]) {
            case LOOK -> isOver() ? At.END : credit.covers(cost()) ? At.SEND : At.KEY;
            case SEND -> {
                ring.add(cost());
                credit.spend(cost());
                sent++;
                yield sent == frames ? At.END : At.LOOK;
            }
            case KEY -> {
                key = compared();
                yield At.ANNOUNCE;
            }
            case ANNOUNCE -> {
                announced = true;
                yield plan == Plan.NO_SECOND_LOOK ? At.WAIT : At.LOOK_AGAIN;
            }
            case LOOK_AGAIN -> {
                boolean over = plan != Plan.SECOND_LOOK_AT_CREDIT_ONLY && isOver();
                yield over || credit.covers(cost()) ? At.LOOK : At.WAIT;
            }
            case WAIT -> compared() == key ? At.ASLEEP : At.LOOK;
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private long compared() {
        return plan == Plan.SLEEP_ON_THE_TOTAL ? bytes.getLong(place.granted(INDEX)) : count;
    }

    /** Changes something, and signals then. */
    private At wakes(int actor) {
        return switch (at[actor]) {
            case ACCEPT -> {
                if (plan != Plan.SIGNAL_BEFORE_ACCEPT) {
                    accept();
                }
                yield plan == Plan.NO_SIGNAL_ON_ACCEPT ? At.TAKE : At.HAS_SLEEPERS;
            }
            case TAKE -> {
                int taken = ring.remove();
                grants.arrived(taken);
                grants.consumed(taken);
                yield plan == Plan.SIGNAL_BEFORE_GRANT ? At.HAS_SLEEPERS : At.GRANT;
            }
            case GRANT -> {
                boolean granted = grants.grantHalf() || (plan != Plan.GRANT_HALVES_ONLY && grants.grantAll());
                yield granted && plan != Plan.SIGNAL_BEFORE_GRANT ? At.HAS_SLEEPERS : At.TAKE;
            }
            case END_IT -> {
                if (plan != Plan.SIGNAL_BEFORE_THE_END) {
                    end();
                }
                yield plan == Plan.NO_SIGNAL_AT_THE_END
                        ? At.END
                        : dead && recovers() ? At.TAKE_SLEEPERS : At.HAS_SLEEPERS;
            }
            case HAS_SLEEPERS -> announced ? At.TAKE_SLEEPERS : signalled(actor);
            case TAKE_SLEEPERS -> {
                boolean mine = announced;
                announced = false;
                yield mine || (actor == ENDER && dead && recovers()) ? At.INCREMENT : signalled(actor);
            }
            case INCREMENT -> {
                count++;
                yield At.WAKE;
            }
            case WAKE -> {
                at[SENDER] = at[SENDER] == At.ASLEEP ? At.LOOK : at[SENDER];
                yield signalled(actor);
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    /** The dead one may have taken the sleepers, and not woken them. */
    private boolean recovers() {
        return plan != Plan.SIGNAL_INSTEAD_OF_RECOVERY;
    }

    private At signalled(int actor) {
        if (actor == RECEIVER && !accepted) {
            accept();
            return At.TAKE;
        }
        if (actor == RECEIVER) {
            return plan == Plan.SIGNAL_BEFORE_GRANT ? At.GRANT : At.TAKE;
        }
        if (plan == Plan.SIGNAL_BEFORE_THE_END) {
            end();
        }
        return At.END;
    }

    private void accept() {
        accepted = true;
        grants.begin();
    }

    private void end() {
        switch (ending) {
            case RESET -> grants.refuse();
            case CLOSE -> closed = true;
            default -> {
                dead = true;
                at[RECEIVER] = At.END;
            }
        }
    }

    @Override
    public void verifyEnd() {
        boolean idle = ring.isEmpty() || dead || closes();
        if (at[SENDER] != At.END || !idle || (ending == Ending.NONE && sent != frames)) {
            throw new AssertionError(
                    "lost: the sender sleeps after " + sent + " frames: " + Arrays.toString(at) + credit + grants);
        }
    }

    @Override
    public String state() {
        return Arrays.toString(at) + sent + " " + closed + dead + accepted + announced + count + " " + key + ring
                + credit + grants + credit.isReset();
    }
}
