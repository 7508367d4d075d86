package dev.carillon.shm.channel;

import dev.carillon.shm.channel.ChannelWorld.Op;
import dev.carillon.shm.channel.ChannelWorld.Plan;
import dev.carillon.shm.channel.ChannelWorld.Program;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One side with its three threads, and the queue that goes out of it.
 *
 * <p>A step is a call of the table with what it changes in memory, or a move of a frame into or out of the queue.
 */
final class ModelSide {
    private static final long COST = 2;
    private static final int ROOM = 3;

    /** In the queue; data has no type. */
    private record Moved(@Nullable ControlType type, int id, int number) {}

    private final Plan plan;
    private final Program program;
    private final ChannelTable table;
    private final IntConsumer takenEarly;
    private final Queue<Moved> queue = new ArrayDeque<>();

    private @Nullable ModelSide other;
    private @Nullable ChannelEnd current;

    /** How much of the program is done, and whether the first half of what comes next is. */
    private int done;

    private boolean half;

    /** A control frame that was taken from the table and is not in the queue yet. */
    private @Nullable ControlFrame control;

    private int sent;
    private int received;
    private boolean hasEnded;

    /** A channel whose frame is in the hands of the program. */
    private @Nullable ChannelEnd reading;

    ModelSide(Plan plan, Program program, ChannelTable table, IntConsumer takenEarly) {
        this.plan = plan;
        this.program = program;
        this.table = table;
        this.takenEarly = takenEarly;
    }

    void peer(ModelSide peer) {
        other = peer;
    }

    private ModelSide other() {
        return Objects.requireNonNull(other);
    }

    private ChannelEnd current() {
        return Objects.requireNonNull(current);
    }

    private boolean hasRoom() {
        return queue.size() < ROOM;
    }

    /** The one that follows the program, and sends what the table wants to have sent. */
    boolean canSend() {
        if (control != null || half) {
            return true;
        }
        if (table.hasControl()) {
            return hasRoom();
        }
        if (done == program.steps().size()) {
            return false;
        }
        return switch (program.steps().get(done)) {
            case OPEN -> current == null || current.isFree();
            case ACCEPT -> table.hasAsked() || wasTakenBack();
            case SEND -> isOver() || (hasRoom() && hasCredit());
            case CLOSE -> plan != Plan.END_AFTER_PUBLISHING || hasRoom();
            case RESET -> true;
        };
    }

    /** The peer has reset what this side would have accepted. */
    private boolean wasTakenBack() {
        for (int index = 1; index < table.channels(); index++) {
            ChannelEnd end = table.latest(index);
            if (end != null && end.isReset() && !end.isAccepted()) {
                return true;
            }
        }
        return false;
    }

    /** There is no channel, or who sends sees that there is no use in it. */
    private boolean isOver() {
        return current == null || current.isClosed() || current.sending().isReset();
    }

    private boolean hasCredit() {
        try {
            return current().sending().covers(COST);
        } catch (ChannelViolation e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    void send() {
        if (control != null) {
            publishControl();
        } else if (!half && table.hasControl()) {
            control = table.takeControl();
        } else {
            Op op = program.steps().get(done);
            boolean wasHalf = half;
            half = !wasHalf && begin(op);
            if (wasHalf) {
                complete(op);
            }
            done += half ? 0 : 1;
        }
    }

    private void publishControl() {
        ControlFrame frame = Objects.requireNonNull(control);
        control = null;
        boolean isForgotten = plan == Plan.NO_ANSWER_TO_RESET && frame.type() == ControlType.RESET && !program.resets();
        if (!isForgotten) {
            queue.add(new Moved(frame.type(), frame.id(), 0));
        }
    }

    /** Whether it goes on with another step. */
    private boolean begin(Op op) {
        switch (op) {
            case OPEN -> current = Objects.requireNonNull(table.open());
            case ACCEPT -> {
                // One that was reset meanwhile is not there any more.
                ChannelEnd accepted = table.accept();
                current = accepted == null ? current : accepted;
                if (accepted != null && plan == Plan.TAKEN_BEFORE_GRANTED) {
                    takenEarly.accept(accepted.id());
                }
                return accepted != null;
            }
            case SEND -> {
                if (isOver()) {
                    return false;
                }
                if (!hasCredit()) {
                    throw new IllegalStateException("no step without credit");
                }
            }
            case CLOSE -> {
                boolean closes = current != null && table.close(current);
                if (closes && plan == Plan.END_AFTER_PUBLISHING) {
                    queue.add(new Moved(ControlType.CLOSE, current().id(), 0));
                    return true;
                }
                return false;
            }
            case RESET -> {
                if (current != null) {
                    table.reset(current);
                }
                return false;
            }
        }
        return true;
    }

    private void complete(Op op) {
        switch (op) {
            case OPEN, ACCEPT -> table.begin(current());
            case SEND -> {
                current().sending().spend(COST);
                sent++;
                queue.add(new Moved(null, current().id(), sent));
            }
            case CLOSE -> table.takeControl();
            case RESET -> throw new IllegalStateException("one step");
        }
    }

    /** The thread that ends the channel some time; it needs the turn to send, and room. */
    boolean canEnd() {
        boolean isSending = half && program.steps().get(done) == Op.SEND;
        boolean hasTurn = control == null && (!half || (isSending && plan == Plan.NO_SENDING_TURN));
        return program.end() != null && !hasEnded && current != null && hasTurn && hasRoom() && !table.hasControl();
    }

    void end() {
        hasEnded = true;
        boolean ends = program.end() == Op.CLOSE ? table.close(current()) : table.reset(current());
        if (ends) {
            ControlFrame frame = Objects.requireNonNull(table.takeControl());
            queue.add(new Moved(frame.type(), frame.id(), 0));
        }
    }

    /** The thread that takes frames of the other side. */
    boolean canReceive() {
        return reading != null || !other().queue.isEmpty();
    }

    void receive() {
        if (reading != null) {
            consume(reading);
            reading = null;
            return;
        }
        Moved next = other().queue.remove();
        try {
            if (next.type() != null) {
                table.control(next.type().code(), Integer.toUnsignedLong(next.id()));
            } else {
                take(next);
            }
        } catch (ChannelViolation e) {
            throw new AssertionError(e.getMessage() + " " + next, e);
        }
    }

    private void take(Moved next) {
        ChannelEnd end = table.data(next.id(), COST);
        if (!end.isReset()) {
            boolean follows = next.number() == received + 1 || (mayLose() && next.number() > received);
            if (!follows) {
                throw new AssertionError(next + " comes after " + received);
            }
            received = next.number();
            reading = end;
        }
    }

    private boolean mayLose() {
        return program.resets() || other().program.resets();
    }

    private void consume(ChannelEnd end) {
        end.receiving().consumed(COST);
        if (plan == Plan.GRANTED_TWICE) {
            end.receiving().consumed(COST);
        }
        if (!end.receiving().grantHalf()) {
            end.receiving().grantAll();
        }
    }

    void verifyEnd(int channels) {
        if (done < program.steps().size() || !queue.isEmpty() || table.hasControl()) {
            throw new AssertionError("stuck: " + this + other());
        }
        if (!mayLose() && other().received != sent) {
            throw new AssertionError("lost: " + this + other());
        }
        for (int index = 1; index < channels; index++) {
            ChannelEnd end = table.latest(index);
            ChannelEnd peers = other().table.latest(index);
            if (end != null && (peers == null || !isOver(end, peers))) {
                throw new AssertionError("no common end: " + this + other());
            }
        }
    }

    private static boolean isOver(ChannelEnd end, ChannelEnd peers) {
        return end.id() == peers.id()
                && end.isFree()
                && end.sending().sent() == peers.receiving().received();
    }

    @Override
    public String toString() {
        return table + " " + queue + " done=" + done + half + " sent=" + sent + " received=" + received + " " + control
                + " " + hasEnded + " " + (current == null ? "" : current.id()) + " "
                + (reading == null ? "" : reading.id()) + "\n";
    }
}
