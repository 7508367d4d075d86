package dev.carillon.signal.forwarder;

import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A way from the forwarder to one loop: a pipe, and the route, a few words that tell the machine code of it. A loop has one
 * for all standard signals, and one for each real-time signal.
 *
 * <p>No pipe is ever closed and no route is freed. A thread that is stopped in the handler, just before its write, has
 * the number of the descriptor in a register; closed, that number could be a stranger's by the time the thread goes on.
 * So they are lent: a loop that has no more services gives its pipe back, and the next loop takes it. There are as many
 * as there were loops with services at once. What is written late is found by the next loop, which drops what is not its own.
 *
 * <p>A pipe of a real-time signal has no states. A thread that finds no room in it writes its record to the pipe of the
 * standard signals and blocks the signal from then on, see {@link RealtimeReader}. States of the other pipe while it is
 * lent:
 *
 * <ul>
 *   <li>HAS_ROOM (FULL is 0): handlers write to the pipe. Where it has no room for the moment, they queue to the loop's thread
 *       by the carrier, whose handler writes it to the pipe on that thread.
 *   <li>HAS_ROOM -> FULL, by the carrier's handler on the loop's thread, which finds no room either: it queues the record
 *       once more, and the thread blocks the carrier when the handler returns. From now on the kernel keeps what finds
 *       no room.
 *   <li>FULL -> HAS_ROOM, by the reader on the loop's thread, which has made room: it clears FULL, and then unblocks the
 *       carrier. The queue comes into the pipe, or as much of it as there is room for: then it is FULL again, before the
 *       call that unblocks has returned.
 * </ul>
 *
 * <p>FULL is written by one thread alone, the loop's: a handler on another one leaves it alone (TID), and between a
 * handler and the code that it interrupts there is no race on a single word.
 *
 * <p><b>Threading:</b> lending: any thread; the rest: the loop's.
 */
final class SignalPipe {
    /** Asked for; it has a fraction of it where the user has many large pipes already. */
    private static final int BYTES = 1 << 20;

    private static final int NONE = -1;

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Keeps the routes from being freed: a thread may still come to use one. */
    private static final List<SignalPipe> ALL = new ArrayList<>();

    private static final Deque<SignalPipe> FREE = new ArrayDeque<>();

    private final int readEnd;
    private final int writeEnd;
    private final NativeBytes route;

    private SignalPipe(Sys sys) {
        route = NativeBytes.allocate(sys.libc(), Long.SIZE);
        var ends = sys.descriptors().pipe(true);
        // Entered for good.
        readEnd = ends[0].acquire();
        writeEnd = ends[1].acquire();
        sys.descriptors().resizePipe(writeEnd, BYTES);
        put(ForwarderLayout.PIPE, writeEnd);
    }

    /** One that is not lent, for the standard signals of the loop of this thread. */
    static SignalPipe take(Sys sys) {
        return take(sys, NONE);
    }

    /** One that is not lent, for a real-time signal of the loop of this thread, beside that of the standard signals. */
    static SignalPipe take(Sys sys, SignalPipe spare) {
        return take(sys, spare.writeEnd);
    }

    private static SignalPipe take(Sys sys, int spare) {
        SignalPipe pipe;
        synchronized (FREE) {
            pipe = FREE.poll();
            if (pipe == null) {
                pipe = new SignalPipe(sys);
                ALL.add(pipe);
            }
        }
        pipe.put(ForwarderLayout.SPARE, spare);
        pipe.put(ForwarderLayout.TID, sys.processes().threadId());
        return pipe;
    }

    /** After everything that was routed here is routed nowhere. */
    void giveBack() {
        put(ForwarderLayout.TID, 0);
        put(ForwarderLayout.FULL, 0);
        synchronized (FREE) {
            FREE.push(this);
        }
    }

    /** How many there are, lent or not. */
    static int count() {
        synchronized (FREE) {
            return ALL.size();
        }
    }

    /** Where records are read, {@value ForwarderLayout#RECORD} bytes each. */
    int readEnd() {
        return readEnd;
    }

    /** What the machine code knows it by. */
    long route() {
        return route.address();
    }

    // r[impl signal.overflow]
    /** From FULL to HAS_ROOM; the carrier is to be unblocked then. False if it was not full. */
    boolean clearFull() {
        if ((int) INTS.getVolatile(words(), ForwarderLayout.FULL) == 0) {
            return false;
        }
        put(ForwarderLayout.FULL, 0);
        return true;
    }

    private void put(int offset, int value) {
        INTS.setVolatile(words(), offset, value);
    }

    private ByteBuffer words() {
        return route.bytes();
    }
}
