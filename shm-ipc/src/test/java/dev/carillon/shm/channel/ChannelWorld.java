package dev.carillon.shm.channel;

import dev.carillon.memory.OrderedBytes;
import dev.carillon.test.Interleavings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two sides with the shipped tables, a queue each way in place of the ring, and the lines of credit in memory. Each side has
 * a thread that does what its program says, one that may end the channel beside it, and one that receives.
 */
final class ChannelWorld implements Interleavings.World {
    /** What is done wrong, if anything. */
    enum Plan {
        SHIPPED,
        END_AFTER_PUBLISHING,
        NO_ANSWER_TO_RESET,
        NO_SENDING_TURN,
        TAKEN_BEFORE_GRANTED,
        GRANTED_TWICE
    }

    enum Op {
        OPEN,
        ACCEPT,
        SEND,
        CLOSE,
        RESET
    }

    /** What the threads of a side do; `end` is what the one beside does, some time. */
    record Program(List<Op> steps, @Nullable Op end) {
        static Program of(Op... steps) {
            return new Program(List.of(steps), null);
        }

        Program endedBy(Op other) {
            return new Program(steps, other);
        }

        boolean resets() {
            return end == Op.RESET || steps.contains(Op.RESET);
        }
    }

    static final int SIZE = 512;

    /** For the first channel of the guest, and that of the host. */
    private static final int CHANNELS = 3;

    private static final long WINDOW = 3;
    private static final int THREADS = 3;

    private final OrderedBytes bytes;
    private final List<ModelSide> sides;

    ChannelWorld(OrderedBytes bytes, Plan plan, long start, Program host, Program guest) {
        this.bytes = bytes;
        for (int i = 0; i < SIZE; i += Long.BYTES) {
            bytes.putLong(i, 0);
        }
        CreditPlace toGuest = new CreditPlace(0, CHANNELS, WINDOW);
        CreditPlace toHost = new CreditPlace(SIZE / 2, CHANNELS, WINDOW);
        toGuest.begin(bytes, start);
        toHost.begin(bytes, start);
        ChannelTable ofHost = new ChannelTable(true, bytes, toGuest, toHost, start, start);
        ChannelTable ofGuest = new ChannelTable(false, bytes, toHost, toGuest, start, start);
        sides = List.of(
                new ModelSide(plan, host, ofHost, at -> bytes.putInt(toHost.taken(ChannelId.index(at)), at)),
                new ModelSide(plan, guest, ofGuest, at -> bytes.putInt(toGuest.taken(ChannelId.index(at)), at)));
        sides.get(0).peer(sides.get(1));
        sides.get(1).peer(sides.get(0));
    }

    @Override
    public int actors() {
        return sides.size() * THREADS;
    }

    @Override
    public boolean canStep(int actor) {
        ModelSide side = sides.get(actor / THREADS);
        return switch (actor % THREADS) {
            case 0 -> side.canSend();
            case 1 -> side.canEnd();
            default -> side.canReceive();
        };
    }

    @Override
    public void step(int actor) {
        ModelSide side = sides.get(actor / THREADS);
        switch (actor % THREADS) {
            case 0 -> side.send();
            case 1 -> side.end();
            default -> side.receive();
        }
    }

    @Override
    public void verifyEnd() {
        for (ModelSide side : sides) {
            side.verifyEnd(CHANNELS);
        }
    }

    @Override
    public String state() {
        StringBuilder memory = new StringBuilder();
        for (int i = 0; i < SIZE; i += Long.BYTES) {
            long word = bytes.getLong(i);
            memory.append(word == 0 ? "" : i + "=" + word + " ");
        }
        return memory + sides.toString();
    }
}
