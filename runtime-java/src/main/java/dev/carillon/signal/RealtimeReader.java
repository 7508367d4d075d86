package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.loop.Watch;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads the records of one real-time signal, no more than its service has room for: what was accepted is not dropped.
 *
 * <p>What it leaves stays in the pipe. When that is full, each thread that takes one more record writes it to the pipe of
 * the standard signals, with its number, and blocks the signal: it is a <i>holder</i> then. So each thread brings one
 * more record at most, all others stay in the kernel's queue as they came, and when that is full the sender is told so
 * (EAGAIN). Having read, the loop thread unblocks itself, which lets in what there is room for; when nothing is left, it
 * unblocks the other holders by the carrier, and then those that have inherited the block ({@link InheritedBlocks}).
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.backpressure]
final class RealtimeReader {
    private final LoopCarrier carrier;
    private final Signal signal;
    private final SignalPipe pipe;
    private final Watch watch;
    private final Set<Integer> holders = new HashSet<>();
    private final InheritedBlocks inherited;

    /** There was a holder since nobody blocked the signal. */
    private boolean wasHeld;

    /** The smallest pipe may have been full since then, so there may be a holder who was not heard of yet. */
    private boolean mayBeHeld;

    private boolean isPosted;
    private boolean isClosed;

    RealtimeReader(LoopCarrier carrier, Signal signal, SignalPipe pipe) {
        this.carrier = carrier;
        this.signal = signal;
        this.pipe = pipe;
        inherited = new InheritedBlocks(carrier, signal, this::onNobodyBlocks);
        watch = carrier.loop().watch(pipe.readEnd(), this::turn);
    }

    long route() {
        return pipe.route();
    }

    /** A thread blocks the signal. */
    void heldBy(int thread) {
        holders.add(thread);
        wasHeld = true;
        mayBeHeld = true;
        inherited.stop();
        post();
    }

    private void onNobodyBlocks() {
        wasHeld = false;
        mayBeHeld = false;
    }

    /** Reads what is there, room or not. */
    void drain() {
        for (int batch = 0; batch < LoopCarrier.DRAINED_BATCHES; batch++) {
            if (carrier.read(pipe, LoopCarrier.RECORDS) < LoopCarrier.RECORDS) {
                return;
            }
            mayBeHeld = true;
        }
    }

    private void turn() {
        carrier.turnEnd().begin();
        try {
            read();
        } finally {
            carrier.turnEnd().end();
        }
    }

    private void read() {
        for (int batch = 0; batch < LoopCarrier.BATCHES; batch++) {
            if (isClosed) {
                return;
            }
            int asked = Math.min(carrier.room(signal, this::post), LoopCarrier.RECORDS);
            if (asked == 0) {
                mayBeHeld = true;
                return;
            }
            mayBeHeld |= batch > 0;
            if (carrier.read(pipe, asked) < asked) {
                if (wasHeld) {
                    release();
                }
                return;
            }
        }
        if (holders.remove(carrier.thread())) {
            // In each turn, and not when all has been read: what comes in is then no more than was read.
            carrier.unblockHere(signal);
        }
        post();
    }

    /** All has been read: first the loop thread takes what the kernel has kept, then the others may again. */
    private void release() {
        if (holders.remove(carrier.thread())) {
            carrier.unblockHere(signal);
            post();
            return;
        }
        holders.removeIf(thread -> carrier.unblock(thread, InheritedBlocks.held(signal)));
        if (holders.isEmpty()) {
            inherited.begin();
        } else {
            carrier.later(this::post);
        }
    }

    /** Has the loop come to it once more: no new edge comes for what is still there. */
    private void post() {
        if (isPosted || isClosed) {
            return;
        }
        try {
            carrier.loop().execute(this::postedTurn);
            isPosted = true;
        } catch (RejectedExecutionException loopEnds) {
            // Its services are closed with it.
            return;
        }
    }

    private void postedTurn() {
        isPosted = false;
        turn();
    }

    /** When the signal is not routed here any more, and does again what it did before us. */
    void close() {
        isClosed = true;
        watch.close();
        try {
            drain();
            carrier.unblockHere(signal);
            holders.remove(carrier.thread());
            holders.forEach(thread -> carrier.unblock(thread, InheritedBlocks.held(signal)));
            if (mayBeHeld) {
                inherited.finish();
            }
        } finally {
            inherited.end();
            pipe.giveBack();
        }
    }
}
