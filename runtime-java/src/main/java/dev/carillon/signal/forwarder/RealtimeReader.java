package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.Watch;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads the records of one real-time signal, no more than its service has room for: what was accepted is not dropped.
 *
 * <p>What it leaves stays in the pipe. When that is full, each thread that takes one more record writes it to the pipe of
 * the standard signals, with its number, and blocks the signal: it is a <i>holder</i> then. So each thread brings one
 * more record at most, all others stay in the kernel's queue as they came, and when that is full the sender gets
 * EAGAIN. Having read, the loop thread unblocks itself, which lets in what there is room for; when nothing is left, it
 * unblocks the other holders by the carrier, and then those that have inherited the block ({@link InheritedBlocks}).
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.backpressure]
final class RealtimeReader {
    private static final Duration LATER = Duration.ofMillis(10);

    private final EventLoop loop;
    private final Signal signal;
    private final SignalReader reader;
    private final ThreadMasks masks;
    private final SignalPipe pipe;
    private final Watch watch;
    private final Set<Integer> holders = new HashSet<>();
    private final InheritedBlocks inherited;

    /** There was a holder since the last time that no thread blocked the signal. */
    private boolean wasHeld;

    /** The smallest pipe may have been full since then, so there may be a holder whose record was not read yet. */
    private boolean mayBeHeld;

    private final Runnable read = this::read;
    private boolean isPosted;
    private boolean isClosed;

    RealtimeReader(EventLoop loop, Signal signal, SignalPipe pipe, SignalReader reader, ThreadMasks masks) {
        this.loop = loop;
        this.signal = signal;
        this.pipe = pipe;
        this.reader = reader;
        this.masks = masks;
        inherited = new InheritedBlocks(loop, masks, signal, reader::readStandard, this::onNoBlocks);
        watch = loop.watch(pipe.readEnd(), this::onReadable);
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

    private void onNoBlocks() {
        wasHeld = false;
        mayBeHeld = false;
    }

    /** Reads what is there, room or not. */
    void drain() {
        for (int batch = 0; batch < SignalReader.DRAINED_BATCHES; batch++) {
            if (reader.read(pipe, SignalReader.RECORDS) < SignalReader.RECORDS) {
                return;
            }
            mayBeHeld = true;
        }
    }

    /** What is posted reads this, too: two turns would be without other work between them. */
    private void onReadable() {
        if (!isPosted) {
            reader.turn(read);
        }
    }

    private void read() {
        for (int batch = 0; batch < SignalReader.BATCHES; batch++) {
            if (isClosed) {
                return;
            }
            int asked = Math.min(reader.room(signal, this::post), SignalReader.RECORDS);
            if (asked == 0) {
                mayBeHeld = true;
                return;
            }
            mayBeHeld |= batch > 0;
            if (reader.read(pipe, asked) < asked) {
                if (wasHeld) {
                    release();
                }
                return;
            }
        }
        if (holders.remove(masks.thread())) {
            // In each turn, and not when all has been read: what comes in is then no more than was read.
            masks.unblockHeldHere(signal);
        }
        post();
    }

    /** All has been read: first the loop thread takes what the kernel has kept, then the others may again. */
    private void release() {
        if (holders.remove(masks.thread())) {
            masks.unblockHeldHere(signal);
            post();
            return;
        }
        holders.removeIf(thread -> masks.unblockHeldIn(thread, signal));
        if (holders.isEmpty()) {
            inherited.begin();
        } else {
            loop.schedule(LATER, this::post);
        }
    }

    /** Has the loop come to it once more: no new edge comes for what is still there. */
    private void post() {
        if (isPosted || isClosed) {
            return;
        }
        try {
            loop.execute(this::postedTurn);
            isPosted = true;
        } catch (RejectedExecutionException loopEnds) {
            // Its services are closed with it.
            return;
        }
    }

    private void postedTurn() {
        isPosted = false;
        reader.turn(read);
    }

    /** When the signal is not routed here any more, and does again what it did before us. */
    void close() {
        isClosed = true;
        watch.close();
        try {
            drain();
            masks.unblockHeldHere(signal);
            holders.remove(masks.thread());
            holders.forEach(thread -> masks.unblockHeldIn(thread, signal));
            if (mayBeHeld) {
                inherited.finish();
            }
        } finally {
            inherited.end();
            pipe.giveBack();
        }
    }
}
