package dev.carillon.shm;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.shm.slot.SlotPlace;
import dev.carillon.shm.slot.SlotPool;
import dev.carillon.shm.slot.SlotRange;
import dev.carillon.shm.slot.SlotUser;
import dev.carillon.test.Interleavings;
import java.util.Arrays;
import java.util.List;

/**
 * A sender whose frames need an entry and, each third of them, the only slot; a receiver that gives all entries back that it
 * finds; and a thread that releases the slot later. Ring and slots are the shipped ones; the steps of an event count are modelled, as {@code
 * EventCountTest} has shown them to be right, and so is the kernel.
 */
final class ClaimWaitWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        WAIT_FOR_BOTH_ON_ONE_EVENT,
        NO_SECOND_LOOK,
        SIGNAL_BEFORE_TAIL,
        SIGNAL_BEFORE_FREE,
        NO_SIGNAL_FOR_SLOTS
    }

    private enum At {
        ENTRY,
        SLOT,
        KEY,
        ANNOUNCE,
        LOOK,
        WAIT,
        ASLEEP,
        COMMIT,
        TAKE,
        GIVE,
        HAS_SLEEPERS,
        TAKE_SLEEPERS,
        INCREMENT,
        WAKE,
        END
    }

    private static final RingPlace RING = new RingPlace(0, 128, 256, 64, 4);
    private static final SlotPlace SLOTS = new SlotPlace(512, List.of(new SlotRange(576, 64, 1)));

    static final int SIZE = 4096;

    private static final int SENDER = 0;
    private static final int RECEIVER = 1;
    private static final int RELEASER = 2;

    private final OrderedBytes bytes;
    private final Plan plan;
    private final int frames;
    private final RingSender ring;
    private final RingReceiver unread;
    private final SlotPool pool;
    private final SlotUser user;
    private final EntryHeader header = new EntryHeader();
    private final At[] at = {At.ENTRY, At.TAKE, At.TAKE};
    private static final int NONE = -1;

    /** The generation of the slot that the receiver has read, and of the one that the releaser is to release. */
    private int kept = NONE;

    private int held = NONE;

    /** Entries that the receiver has read. */
    private int reading;

    /** Per event, that of the receiver and that of the releaser: its count, and whether somebody has announced himself. */
    private final int[] count = new int[3];

    private final boolean[] announced = new boolean[3];
    private int sent;
    private int taken;
    private int claimed = SlotPool.NONE;

    /** What the sender waits for: the event of the receiver or that of the releaser. */
    private int missing = RECEIVER;

    private int key;

    ClaimWaitWorld(OrderedBytes bytes, Plan plan, int frames) {
        this.bytes = bytes;
        this.plan = plan;
        this.frames = frames;
        RING.begin(bytes, 0);
        SLOTS.begin(bytes, 0);
        ring = new RingSender(bytes, RING, 0);
        unread = new RingReceiver(bytes, RING, 0);
        pool = new SlotPool(bytes, SLOTS, 0);
        user = new SlotUser(bytes, SLOTS, 0);
    }

    @Override
    public int actors() {
        return at.length;
    }

    @Override
    public boolean canStep(int actor) {
        return switch (at[actor]) {
            case END, ASLEEP -> false;
            case TAKE -> actor == RECEIVER ? bytes.getLong(RING.head()) != bytes.getLong(RING.tail()) : held != NONE;
            default -> true;
        };
    }

    @Override
    public void step(int actor) {
        at[actor] = actor == SENDER ? send() : giveBack(actor);
    }

    private boolean needsSlot(int frame) {
        return frame % 3 == 0;
    }

    private At send() {
        return switch (at[SENDER]) {
            case ENTRY -> {
                missing = RECEIVER;
                yield ring.freeForData() > 0 ? needsSlot(sent) ? At.SLOT : At.COMMIT : At.KEY;
            }
            case SLOT -> {
                claimed = pool.claim(8);
                missing = RELEASER;
                yield claimed == SlotPool.NONE ? At.KEY : At.COMMIT;
            }
            case KEY -> {
                key = count[missing];
                yield At.ANNOUNCE;
            }
            case ANNOUNCE -> {
                announced[missing] = true;
                yield plan == Plan.NO_SECOND_LOOK ? At.WAIT : At.LOOK;
            }
            case LOOK -> hasWhatWasMissing() ? At.ENTRY : At.WAIT;
            case WAIT -> count[missing] == key ? At.ASLEEP : At.KEY;
            case COMMIT -> {
                commit();
                yield sent == frames ? At.END : At.ENTRY;
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private boolean hasWhatWasMissing() {
        boolean hasEntry = ring.freeForData() > 0;
        boolean hasSlot = !needsSlot(sent) || pool.hasFree(8);
        if (plan == Plan.WAIT_FOR_BOTH_ON_ONE_EVENT) {
            return hasEntry && hasSlot;
        }
        return missing == RECEIVER ? hasEntry : hasSlot;
    }

    private void commit() {
        int slot = claimed;
        claimed = SlotPool.NONE;
        if (slot == SlotPool.NONE) {
            EntryLayout.putInline(bytes, ring.offset(0), 1, 0, 0, sent, 0);
        } else {
            pool.send(slot);
            EntryLayout.put(bytes, ring.offset(0), 1, 0, 0, sent, 8, slot, pool.generation(slot));
        }
        ring.publish(1);
        sent++;
    }

    /** The receiver takes a frame and moves the tail; the releaser frees a slot. Then each signals its event. */
    private At giveBack(int actor) {
        boolean early = plan == (actor == RECEIVER ? Plan.SIGNAL_BEFORE_TAIL : Plan.SIGNAL_BEFORE_FREE);
        return switch (at[actor]) {
            case TAKE -> {
                if (actor == RECEIVER) {
                    take();
                }
                yield early ? At.HAS_SLEEPERS : At.GIVE;
            }
            case GIVE -> {
                give(actor);
                boolean silent = actor == RELEASER && plan == Plan.NO_SIGNAL_FOR_SLOTS;
                yield early || silent ? over(actor) : At.HAS_SLEEPERS;
            }
            case HAS_SLEEPERS -> announced[actor] ? At.TAKE_SLEEPERS : signalled(actor, early);
            case TAKE_SLEEPERS -> {
                boolean mine = announced[actor];
                announced[actor] = false;
                yield mine ? At.INCREMENT : signalled(actor, early);
            }
            case INCREMENT -> {
                count[actor]++;
                yield At.WAKE;
            }
            case WAKE -> {
                if (at[SENDER] == At.ASLEEP && missing == actor) {
                    at[SENDER] = At.KEY;
                }
                yield signalled(actor, early);
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private At signalled(int actor, boolean early) {
        return early ? At.GIVE : over(actor);
    }

    private void take() {
        reading = unread.available();
        for (int i = 0; i < reading; i++) {
            header.load(bytes, unread.offset(i), 32);
            if (!header.isInline()) {
                user.hold(header.slot(), header.generation(), header.length());
                kept = header.generation();
            }
        }
    }

    private void give(int actor) {
        if (actor == RECEIVER) {
            unread.release(reading);
            taken += reading;
            reading = 0;
            held = kept == NONE ? held : kept;
            kept = NONE;
        } else {
            user.release(0, held);
            held = NONE;
        }
    }

    private At over(int actor) {
        if (actor == RECEIVER) {
            return taken == frames ? At.END : At.TAKE;
        }
        return At.TAKE;
    }

    @Override
    public void verifyEnd() {
        if (at[SENDER] != At.END || taken != frames || held != NONE) {
            throw new AssertionError("lost: the sender sleeps after " + sent + " frames: " + Arrays.toString(at)
                    + " free entries=" + ring.freeForData() + " free slot=" + pool.hasFree(8));
        }
    }

    @Override
    public String state() {
        return Arrays.toString(at) + Arrays.toString(count) + Arrays.toString(announced) + sent + " " + taken + " "
                + kept + " " + held + " " + reading + " " + claimed + " " + missing + " " + key + ring + unread + pool
                + user;
    }
}
