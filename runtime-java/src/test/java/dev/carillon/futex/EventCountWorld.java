package dev.carillon.futex;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Interleavings;
import java.util.Arrays;

/**
 * Waiters that each want some items, signallers that together publish as many, in two words; one event count.
 *
 * <p>The steps on the event count are the shipped ones; the kernel's part is modelled: it compares and puts to sleep in
 * one step, and wakes all in one step. So is the bell: it remembers one ring, as a socket does.
 */
final class EventCountWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        SHIPPED_WITH_KILL,
        NO_SECOND_LOOK,
        WAIT_ON_DATA_WORD,
        WAKE_WORD_ZERO,
        KEY_AFTER_ANNOUNCING,
        INCREMENT_BEFORE_TAKING,
        COUNT_SLEEPERS,
        LISTENER,
        LISTENER_WITH_KILL,
        LISTENER_WITHOUT_SECOND_LOOK,
        RING_BEFORE_PUBLISHING,
        BELL_THAT_FORGETS,
        LISTENER_AND_SLEEPER
    }

    private enum At {
        TRY,
        KEY,
        ANNOUNCE,
        LOOK,
        WAIT,
        ASLEEP,
        BACK,
        PUBLISH,
        HAS_SLEEPERS,
        TAKE,
        INCREMENT,
        WAKE,
        LISTEN,
        RING,
        END,
        DEAD
    }

    private final EventCountSteps count;
    private final Plan plan;
    private final int waiters;
    private final At[] at;
    private final int[] keys;
    private final int[] left;
    private final int[] items = new int[2];
    private int sleepersCounted;
    private int announced;
    private int wakes;
    private boolean killed;
    private boolean rung;

    /** What each signaller has found in the sleep word. */
    private final int[] found;

    EventCountWorld(MemoryRegion region, EventCountSteps count, int waiters, int signallers, int items, Plan plan) {
        this.count = count;
        this.plan = plan;
        this.waiters = waiters;
        region.bytes().putLong(0, 0);
        at = new At[waiters + signallers];
        keys = new int[waiters];
        left = new int[waiters + signallers];
        found = new int[waiters + signallers];
        Arrays.fill(at, 0, waiters, At.TRY);
        Arrays.fill(at, waiters, at.length, At.PUBLISH);
        // With two for each waiter it may consume one without having slept; what they want is what is published.
        Arrays.fill(left, 0, waiters, items);
        Arrays.fill(left, waiters, left.length, items * waiters / signallers);
    }

    private boolean kills() {
        return plan == Plan.SHIPPED_WITH_KILL || plan == Plan.LISTENER_WITH_KILL || plan == Plan.COUNT_SLEEPERS;
    }

    private boolean listens(int me) {
        return switch (plan) {
            case LISTENER,
                    LISTENER_WITH_KILL,
                    LISTENER_WITHOUT_SECOND_LOOK,
                    RING_BEFORE_PUBLISHING,
                    BELL_THAT_FORGETS -> true;
            case LISTENER_AND_SLEEPER -> me == 0;
            default -> false;
        };
    }

    @Override
    public int actors() {
        return at.length + 1;
    }

    @Override
    public boolean canStep(int actor) {
        if (actor == at.length) {
            return kills() && !killed && at[0] != At.END;
        }
        if (at[actor] == At.LISTEN) {
            return rung;
        }
        return at[actor] != At.ASLEEP && at[actor] != At.END && at[actor] != At.DEAD;
    }

    @Override
    public void step(int actor) {
        if (actor == at.length) {
            killed = true;
            at[0] = At.DEAD;
        } else if (actor < waiters) {
            at[actor] = wait(actor);
        } else {
            at[actor] = signal(actor);
        }
    }

    private At wait(int me) {
        boolean keyLate = plan == Plan.KEY_AFTER_ANNOUNCING;
        return switch (at[me]) {
            case TRY -> {
                int word = items[0] > 0 ? 0 : 1;
                if (items[word] == 0) {
                    yield keyLate ? At.ANNOUNCE : At.KEY;
                }
                items[word]--;
                left[me]--;
                yield left[me] == 0 ? At.END : At.TRY;
            }
            case KEY -> {
                keys[me] = onData() ? items[0] : count.key();
                yield keyLate ? At.LOOK : At.ANNOUNCE;
            }
            case ANNOUNCE -> {
                count.announce(listens(me) ? EventCountSteps.LISTENING : EventCountSteps.SLEEPING);
                announced++;
                sleepersCounted++;
                boolean looks = plan != Plan.NO_SECOND_LOOK && plan != Plan.LISTENER_WITHOUT_SECOND_LOOK;
                yield keyLate ? At.KEY : looks ? At.LOOK : asleep(me);
            }
            case LOOK -> items[0] + items[1] > 0 ? At.BACK : asleep(me);
            case LISTEN -> {
                rung = false;
                yield At.BACK;
            }
            case WAIT -> (onData() ? items[0] : count.key()) == keys[me] ? At.ASLEEP : At.BACK;
            case BACK -> {
                sleepersCounted--;
                yield At.TRY;
            }
            default -> throw new IllegalStateException("at=" + at[me]);
        };
    }

    private At asleep(int me) {
        return listens(me) ? At.LISTEN : At.WAIT;
    }

    private boolean onData() {
        return plan == Plan.WAIT_ON_DATA_WORD || plan == Plan.WAKE_WORD_ZERO;
    }

    private At signal(int me) {
        boolean early = plan == Plan.INCREMENT_BEFORE_TAKING;
        return switch (at[me]) {
            case PUBLISH -> {
                if (plan == Plan.RING_BEFORE_PUBLISHING && found[me] == 0) {
                    yield At.HAS_SLEEPERS;
                }
                items[(me + left[me]) % 2]++;
                yield onData() ? At.WAKE : plan == Plan.RING_BEFORE_PUBLISHING ? published(me) : At.HAS_SLEEPERS;
            }
            case HAS_SLEEPERS -> {
                boolean any = plan == Plan.COUNT_SLEEPERS ? sleepersCounted > 0 : count.hasSleepers();
                yield !any ? rungOrPublished(me) : early || plan == Plan.COUNT_SLEEPERS ? At.INCREMENT : At.TAKE;
            }
            case TAKE -> {
                found[me] = count.takeSleepers();
                yield found[me] == EventCountSteps.NONE ? rungOrPublished(me) : early ? At.WAKE : At.INCREMENT;
            }
            case INCREMENT -> {
                count.increment();
                yield early ? At.TAKE : found[me] == EventCountSteps.LISTENING ? At.RING : At.WAKE;
            }
            case RING -> {
                wakes++;
                rung = plan != Plan.BELL_THAT_FORGETS || anyListens();
                yield rungOrPublished(me);
            }
            case WAKE -> {
                wakes++;
                boolean heard = plan != Plan.WAIT_ON_DATA_WORD || (me + left[me]) % 2 == 0;
                for (int i = 0; heard && i < waiters; i++) {
                    at[i] = at[i] == At.ASLEEP ? At.BACK : at[i];
                }
                yield published(me);
            }
            default -> throw new IllegalStateException("at=" + at[me]);
        };
    }

    /** One that rings first publishes after that. */
    private At rungOrPublished(int me) {
        if (plan == Plan.RING_BEFORE_PUBLISHING) {
            found[me] = 1;
            return At.PUBLISH;
        }
        return published(me);
    }

    private boolean anyListens() {
        for (int i = 0; i < waiters; i++) {
            if (at[i] == At.LISTEN) {
                return true;
            }
        }
        return false;
    }

    private At published(int me) {
        found[me] = 0;
        left[me]--;
        return left[me] == 0 ? At.END : At.PUBLISH;
    }

    @Override
    public void verifyEnd() {
        for (int i = 0; i < waiters; i++) {
            boolean sleeps = at[i] == At.ASLEEP || (at[i] == At.LISTEN && !rung);
            if (sleeps && items[0] + items[1] > 0) {
                throw new AssertionError("lost: waiter " + i + " sleeps on " + Arrays.toString(items));
            }
        }
        if (!onData() && wakes > announced) {
            throw new AssertionError("wakes for nobody: " + wakes + " wakes for " + announced + " sleeps");
        }
    }

    @Override
    public String state() {
        return Arrays.toString(at) + Arrays.toString(keys) + Arrays.toString(left) + Arrays.toString(items)
                + count.key() + count.hasSleepers() + sleepersCounted + " " + (wakes - announced) + killed + rung
                + Arrays.toString(found);
    }
}
