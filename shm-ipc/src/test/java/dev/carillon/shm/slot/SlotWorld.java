package dev.carillon.shm.slot;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.ring.EntryHeader;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.ring.RingPlace;
import dev.carillon.shm.ring.RingReceiver;
import dev.carillon.shm.ring.RingSender;
import dev.carillon.test.Interleavings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sender and a receiver of messages in two slots, in the order of steps that a link has; and a SIGKILL for the sender.
 * Another thread of the receiver's releases the slots, each time when there are two of them, the later one first.
 *
 * <p>Both use the shipped classes. A step is a call, which changes one shared word at most; the look at slots that came
 * back loads two, and each could be loaded alone with the same result.
 */
final class SlotWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        SHIPPED_WITH_KILL,
        PUBLISH_BEFORE_BYTES,
        PUBLISH_BEFORE_IN_FLIGHT,
        TAIL_BEFORE_HELD,
        RELEASE_BEFORE_READING,
        FREE_BEFORE_FORGETTING
    }

    private enum At {
        ROOM,
        CLAIM,
        BYTES,
        SEND,
        ENTRY,
        PUBLISH,
        LOOK,
        COPY,
        HOLD,
        TAIL,
        READ,
        TAKE,
        FORGET,
        FREE,
        END
    }

    private static final int SENDER = 0;
    private static final int RECEIVER = 1;
    private static final int WORKER = 2;
    private static final int KILLER = 3;
    private static final RingPlace RING = new RingPlace(0, 128, 256, 64, 4);
    private static final SlotPlace SLOTS = Slots.placeAt(256 + 4 * 64, 64, 2);

    static final int SIZE = Slots.size(SLOTS);

    private final OrderedBytes bytes;
    private final Plan plan;
    private final long start;
    private final int messages;
    private final RingSender sender;
    private final RingReceiver receiver;
    private final SlotPool pool;
    private final SlotUser user;
    private final EntryHeader header = new EntryHeader();
    private final At[] at = {At.ROOM, At.LOOK, At.TAKE, At.END};
    private final int[] done = new int[2];

    /** What an actor that found nothing must see change before it looks again. */
    private final String[] stuckAt = {"", ""};

    /** What was read and not released. */
    private final List<Integer> kept = new ArrayList<>();

    /** What the worker releases, and whether it took the later of two. */
    private int released = SlotPool.NONE;

    private int generation;
    private boolean tookLater;
    private int claimed = SlotPool.NONE;
    private int offset;
    private boolean killed;

    SlotWorld(OrderedBytes bytes, Plan plan, long start, int messages) {
        this.bytes = bytes;
        this.plan = plan;
        this.start = start;
        this.messages = messages;
        RING.begin(bytes, start);
        SLOTS.begin(bytes, (int) start);
        for (int i = 0; i < 4; i++) {
            EntryLayout.putInline(bytes, RING.offset(i), 0, 0, 0, 0, 0);
        }
        sender = new RingSender(bytes, RING, start);
        receiver = new RingReceiver(bytes, RING, start);
        pool = new SlotPool(bytes, SLOTS, (int) start);
        user = new SlotUser(bytes, SLOTS, (int) start);
        for (int slot = 0; slot < 2; slot++) {
            bytes.putLong(pool.offset(slot), 0);
        }
    }

    @Override
    public int actors() {
        return at.length;
    }

    @Override
    public boolean canStep(int actor) {
        if (actor == KILLER) {
            return plan == Plan.SHIPPED_WITH_KILL && !killed && at[SENDER] != At.END;
        }
        if (actor == WORKER) {
            return at[WORKER] != At.TAKE || kept.size() >= (tookLater || at[RECEIVER] == At.END ? 1 : 2);
        }
        return at[actor] != At.END && !stuckAt[actor].equals(shared());
    }

    /** The counters and the words of the slots. */
    private String shared() {
        return bytes.getLong(RING.head()) + " " + bytes.getLong(RING.tail()) + " "
                + SlotWord.describe(Slots.word(bytes, SLOTS, 0)) + " " + SlotWord.describe(Slots.word(bytes, SLOTS, 1));
    }

    @Override
    public void step(int actor) {
        if (actor == KILLER) {
            killed = true;
            at[SENDER] = At.END;
        } else if (actor == WORKER) {
            at[WORKER] = release();
        } else {
            stuckAt[actor] = "";
            at[actor] = actor == SENDER ? send() : receive();
        }
        verifyReferences();
    }

    private At send() {
        int message = done[SENDER] + 1;
        boolean bytesLate = plan == Plan.PUBLISH_BEFORE_BYTES;
        boolean flightLate = plan == Plan.PUBLISH_BEFORE_IN_FLIGHT;
        return switch (at[SENDER]) {
            case ROOM -> found(SENDER, sender.freeForData() > 0, At.CLAIM);
            case CLAIM -> {
                claimed = pool.claim(8);
                yield found(SENDER, claimed != SlotPool.NONE, bytesLate ? At.SEND : At.BYTES);
            }
            case BYTES -> {
                bytes.putLong(pool.offset(claimed), message);
                yield bytesLate ? sent() : flightLate ? At.ENTRY : At.SEND;
            }
            case SEND -> {
                pool.send(claimed);
                yield flightLate ? sent() : At.ENTRY;
            }
            case ENTRY -> {
                EntryLayout.put(bytes, sender.offset(0), 1, 0, 0, message, 8, claimed, pool.generation(claimed));
                yield At.PUBLISH;
            }
            case PUBLISH -> {
                sender.publish(1);
                yield bytesLate ? At.BYTES : flightLate ? At.SEND : sent();
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private At found(int actor, boolean any, At next) {
        if (!any) {
            stuckAt[actor] = shared();
        }
        return any ? next : at[actor];
    }

    private At sent() {
        claimed = SlotPool.NONE;
        done[SENDER]++;
        return done[SENDER] == messages ? At.END : At.ROOM;
    }

    private At receive() {
        boolean tailEarly = plan == Plan.TAIL_BEFORE_HELD;
        boolean releaseEarly = plan == Plan.RELEASE_BEFORE_READING;
        return switch (at[RECEIVER]) {
            case LOOK -> found(RECEIVER, receiver.available() > 0, At.COPY);
            case COPY -> {
                header.load(bytes, receiver.offset(0), 32);
                yield tailEarly ? At.TAIL : At.HOLD;
            }
            case HOLD -> {
                offset = user.hold(header.slot(), header.generation(), header.length());
                if (releaseEarly) {
                    kept.add(header.slot());
                }
                yield tailEarly ? At.READ : At.TAIL;
            }
            case TAIL -> {
                receiver.release(1);
                yield tailEarly ? At.HOLD : At.READ;
            }
            case READ -> {
                done[RECEIVER]++;
                assertRead(header.id());
                assertRead(bytes.getLong(offset));
                if (!releaseEarly) {
                    kept.add(header.slot());
                }
                yield done[RECEIVER] == messages ? At.END : At.LOOK;
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private At release() {
        boolean freeEarly = plan == Plan.FREE_BEFORE_FORGETTING;
        return switch (at[WORKER]) {
            case TAKE -> {
                tookLater = !tookLater && kept.size() > 1;
                released = kept.remove(tookLater ? kept.size() - 1 : 0);
                generation = SlotWord.generation(Slots.word(bytes, SLOTS, released));
                yield freeEarly ? At.FREE : At.FORGET;
            }
            case FORGET -> {
                user.forget(released, generation);
                yield freeEarly ? At.TAKE : At.FREE;
            }
            case FREE -> {
                user.free(released, generation);
                yield freeEarly ? At.FORGET : At.TAKE;
            }
            default -> throw new IllegalStateException(Arrays.toString(at));
        };
    }

    private void assertRead(long word) {
        if (word != done[RECEIVER]) {
            throw new AssertionError("message " + done[RECEIVER] + " reads " + word);
        }
    }

    /** A slot in flight is the one that the sender is at, or exactly one unread entry names it. */
    private void verifyReferences() {
        for (int slot = 0; slot < 2; slot++) {
            int references = slot == claimed ? 1 : 0;
            for (long position = bytes.getLong(RING.tail()); position != bytes.getLong(RING.head()); position++) {
                EntryHeader unread = new EntryHeader();
                unread.load(bytes, RING.offset(position), 32);
                boolean own = slot == claimed && unread.id() == done[SENDER] + 1;
                references += unread.slot() == slot && !own ? 1 : 0;
            }
            if (SlotWord.state(Slots.word(bytes, SLOTS, slot)) == SlotWord.IN_FLIGHT && references != 1) {
                throw new AssertionError("in flight with " + references + " references: slot " + slot);
            }
        }
        if (pool.free() + pool.claimed() + pool.away() != 2) {
            throw new AssertionError(pool.toString());
        }
    }

    @Override
    public void verifyEnd() {
        long published = bytes.getLong(RING.head()) - start;
        if (done[RECEIVER] != published || (!killed && published != messages)) {
            throw new AssertionError("stuck: sent and received " + Arrays.toString(done) + " " + shared());
        }
        pool.collect();
        if (!killed && pool.free() != 2) {
            throw new AssertionError("lost: " + pool);
        }
    }

    @Override
    public String state() {
        return shared()
                + Arrays.toString(at)
                + Arrays.toString(done)
                + Arrays.toString(stuckAt)
                + kept
                + released
                + generation
                + tookLater
                + claimed
                + offset
                + killed
                + header
                + sender
                + receiver
                + pool
                + user
                + bytes.getLong(pool.offset(0))
                + bytes.getLong(pool.offset(1))
                + entries();
    }

    private String entries() {
        StringBuilder all = new StringBuilder();
        EntryHeader entry = new EntryHeader();
        for (int i = 0; i < 4; i++) {
            entry.load(bytes, RING.offset(i), 32);
            all.append(entry).append(' ');
        }
        return all.toString();
    }
}
