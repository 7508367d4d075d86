package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;

/**
 * Batches: the frames are written where the ring has room for them, and published with one store and one event.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
// r[impl shm.batch]
final class LinkBatches {
    private final LinkLife life;
    private final LinkSender sender;
    private final LinkBuffer buffer;
    private final SendTurn turn;
    private final SenderCheck check;
    private final FrameWriter frame;
    private final Runnable sendControl;

    /**
     * Batches over a sender.
     *
     * @param sendControl sends what the writer has said of channels, which cannot go out in the midst of its batch
     */
    LinkBatches(
            LinkLife life,
            LinkSender sender,
            LinkBuffer buffer,
            SendTurn turn,
            SenderCheck check,
            Runnable sendControl) {
        this.life = life;
        this.sender = sender;
        this.buffer = buffer;
        this.turn = turn;
        this.check = check;
        frame = new FrameWriter(sender);
        this.sendControl = sendControl;
    }

    int send(int most, BatchWriter writer) {
        if (most < 0) {
            throw new IllegalArgumentException("most=" + most + ": how many frames at most, 0 or more");
        }
        boolean entered = check.enter(life);
        turn.take();
        try {
            if (!life.carries()) {
                life.gone();
                return 0;
            }
            int room = sender.beginBatch(most);
            int sent = room == 0 ? 0 : write(room, writer);
            life.ensureThere();
            return sent;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
            check.exit(entered);
        }
    }

    private int write(int room, BatchWriter writer) {
        int count = 0;
        long payload = 0;
        try {
            frame.open(buffer.get());
            while (count < room) {
                frame.at(sender.entry(count));
                if (!writer.write(count, frame)) {
                    break;
                }
                payload += frame.finish();
                count++;
            }
        } finally {
            // What is whole is sent, also where the writer throws.
            try {
                frame.drop();
            } finally {
                frame.shut();
                sender.endBatch(count, payload);
                if (life.isOpen()) {
                    sendControl.run();
                }
            }
        }
        return count;
    }
}
