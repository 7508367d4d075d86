package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Finds the threads that block a real-time signal because of us, and unblocks them.
 *
 * <p>A thread that finds the pipe of a real-time signal full blocks the signal, and so does each thread that it makes
 * before it is released: one of a pool, one of the VM. We are not told of those. But a thread that holds a signal back
 * blocks a mark with it, {@link ForwarderLayout#HELD}, and both are inherited together. So a thread that blocks the mark
 * got its mask from us, and one that blocks the signal without the mark does so by itself and is left alone. So is one that
 * blocks the carrier, too: it blocks all signals, as threads of native libraries do.
 *
 * <p>A thread that is just being made, or that is inside our handler, also blocks everything for that moment, which on a busy
 * machine lasts until it is its turn. So a thread that blocks everything and wants to run is waited for, for a while; and it
 * takes some looks in a row that find no thread of ours.
 *
 * <p><b>Threading:</b> the loop's; {@link #finish} also on that of its closer.
 */
// r[impl signal.backpressure] r[impl signal.child-mask]
final class InheritedBlocks {
    private static final File THREADS = new File("/proc/self/task");
    private static final byte[] MASK = "\nSigBlk:\t".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] STATE = "\nState:\t".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_DIGITS = 16;
    private static final int STATUS = 4096;
    private static final Duration LATER = Duration.ofMillis(10);

    /** So many threads are looked at before other work gets its turn. */
    private static final int IN_ONE_TURN = 64;

    private static final int QUIET_LOOKS = 3;

    /** While some thread blocks everything, which may be for a moment only. */
    private static final int QUIET_LOOKS_IN_DOUBT = 20;

    private static final int MAX_LOOKS = 200;

    /** While some thread blocks everything and wants to run: a native thread may do so for good. */
    private static final int MAX_LOOKS_IN_DOUBT = 1_000;

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private final ThreadMasks masks;
    private final Signal signal;
    private final Runnable readHolders;
    private final Runnable whenClean;
    private final byte[] status = new byte[STATUS];
    private String @Nullable [] threads;
    private int at;
    private int quiet;

    /** So many looks were not quiet only because a thread that blocks everything wanted to run. */
    private int doubts;

    private boolean isFound;
    private boolean isInDoubt;

    /** One that blocks everything was about to run. */
    private boolean isAboutToRun;

    private boolean isLooking;

    /** A look is posted, or timed. */
    private boolean isUnderWay;

    /**
     * Begins when the signal begins to be read.
     *
     * @param readHolders reads who holds the signal back by now, and calls {@link #stop} if somebody does
     */
    InheritedBlocks(EventLoop loop, ThreadMasks masks, Signal signal, Runnable readHolders, Runnable whenClean) {
        this.loop = loop;
        this.masks = masks;
        this.signal = signal;
        this.readHolders = readHolders;
        this.whenClean = whenClean;
        ThreadMasks.beginReading(signal);
    }

    /** The holders are released: looks for the threads that inherited the block from them, until there is none. */
    void begin() {
        if (!isLooking) {
            isLooking = true;
            start();
            lookLater();
        }
    }

    private void lookLater() {
        if (!isUnderWay) {
            isUnderWay = true;
            loop.schedule(LATER, this::look);
        }
    }

    /** A thread holds it back again. */
    void stop() {
        isLooking = false;
    }

    /**
     * Holders whose records were not read yet look as those that have inherited the block. Releasing them again and again
     * would fill the pipe of their records.
     */
    private void look() {
        isUnderWay = false;
        if (isLooking) {
            readHolders.run();
        }
        if (!isLooking) {
            return;
        }
        if (!lookAt(IN_ONE_TURN)) {
            isUnderWay = true;
            lookSoon();
            return;
        }
        count(MAX_LOOKS);
        if (quiet < QUIET_LOOKS) {
            lookLater();
        } else {
            isLooking = false;
            whenClean.run();
        }
    }

    /** When other work has had its turn; never if the loop ends. */
    private void lookSoon() {
        try {
            loop.execute(this::look);
        } catch (RejectedExecutionException loopEnds) {
            // Its services, and with them this, are closed with it.
            return;
        }
    }

    /** The same at once, when the signal is read no more; it takes some milliseconds. */
    void finish() {
        isLooking = false;
        start();
        for (int looks = 0;
                looks < MAX_LOOKS + doubts && quiet < (isInDoubt ? QUIET_LOOKS_IN_DOUBT : QUIET_LOOKS);
                looks++) {
            lookAt(Integer.MAX_VALUE);
            count(MAX_LOOKS_IN_DOUBT);
            LockSupport.parkNanos(this, PAUSE);
        }
    }

    private void start() {
        threads = null;
        quiet = 0;
        doubts = 0;
    }

    /** After a look at all threads. */
    private void count(int maxDoubts) {
        if (isFound) {
            quiet = 0;
        } else if (isAboutToRun && doubts < maxDoubts) {
            quiet = 0;
            doubts++;
        } else {
            quiet++;
        }
    }

    /** It is read no more. */
    void end() {
        isLooking = false;
        ThreadMasks.endReading(signal);
    }

    /** Looks at so many threads at most; returns whether it has come to the last one. */
    private boolean lookAt(int most) {
        String[] all = threads;
        if (all == null) {
            all = THREADS.list();
            if (all == null) {
                // No descriptor for it at the moment; or there is no such folder, and never will be.
                isFound = THREADS.exists();
                return true;
            }
            threads = all;
            at = 0;
            isFound = false;
            isInDoubt = false;
            isAboutToRun = false;
        }
        for (int i = 0; i < most && at < all.length; i++) {
            release(all[at++]);
        }
        if (at < all.length) {
            return false;
        }
        threads = null;
        return true;
    }

    private void release(String thread) {
        int length = read(new File(THREADS, thread + "/status"));
        long mask = mask(length);
        if ((mask & ThreadMasks.MARK) == 0) {
            return;
        }
        if ((mask & masks.carrierBit()) != 0) {
            isInDoubt = true;
            isAboutToRun |= isAboutToRun(length);
            return;
        }
        isFound |= masks.unblockInherited(Integer.parseInt(thread), signal, mask);
    }

    /** What is told of a thread; nothing, if it has ended. */
    private int read(File file) {
        try (FileInputStream in = new FileInputStream(file)) {
            return in.readNBytes(status, 0, STATUS);
        } catch (IOException noDescriptorOrEnded) {
            isFound |= file.exists();
            return 0;
        }
    }

    private long mask(int length) {
        int at = find(MASK, length);
        return at < 0 || at + HEX_DIGITS > length
                ? 0
                : Long.parseUnsignedLong(new String(status, at, HEX_DIGITS, StandardCharsets.US_ASCII), 16);
    }

    /** It runs, waits for its turn, or for a page of its memory. */
    private boolean isAboutToRun(int length) {
        int at = find(STATE, length);
        return at >= 0 && at < length && (status[at] == 'R' || status[at] == 'D');
    }

    /** Where the value of a line begins; -1: there is no such line. */
    private int find(byte[] name, int length) {
        for (int begin = 0; begin + name.length <= length; begin++) {
            int matched = 0;
            while (matched < name.length && status[begin + matched] == name[matched]) {
                matched++;
            }
            if (matched == name.length) {
                return begin + matched;
            }
        }
        return -1;
    }
}
