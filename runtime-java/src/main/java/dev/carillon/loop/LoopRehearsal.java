package dev.carillon.loop;

import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.ParkState;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.loop.queue.ShortMemory;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.StackRoom;
import dev.carillon.sys.VirtualThreads;
import dev.carillon.sys.call.ProcessCalls;
import dev.carillon.sys.call.Sys;

/**
 * Runs the lines that must not fail half-way once, before there is a loop. The VM needs memory for the first run of a line,
 * such as to load a class or to link a VarHandle. A poster that fails after it has claimed a place stops the queue for good.
 *
 * <p><b>Threading:</b> any thread, once.
 */
// r[impl loop.report]
final class LoopRehearsal {
    private static final int CHUNK = 2;

    /** At the 128th call, java.lang.foreign makes code of its own for the handle of system calls, some 70 KB at once. */
    private static final int CALLS = 160;

    /** Only ever set. Plain: a thread that does not see it yet takes the lock. */
    private static boolean isDone;

    private LoopRehearsal() {}

    /** Rehearses, unless that was done; where it fails, for want of memory, the next call rehearses. */
    static void ensureDone() {
        if (!isDone) {
            rehearse();
        }
    }

    private static synchronized void rehearse() {
        if (isDone) {
            return;
        }
        StackRoom.ensure();
        threads();
        calls();
        posts();
        timers();
        LoopLog.prepare();
        LoopEvents.prepare();
        isDone = true;
    }

    /** What a loop needs of the thread that runs it: where its class cannot be initialized, no loop ever runs. */
    private static void threads() {
        LoopRegistry.prepare();
        if (!VirtualThreads.isCurrent()) {
            LoopThreads.ensureReady();
        }
    }

    // r[impl loop.linked]
    private static void calls() {
        if (LibC.availability().isAvailable()) {
            ProcessCalls processes = Sys.get().processes();
            for (int i = 0; i < CALLS; i++) {
                processes.threadId();
            }
        }
    }

    private static void posts() {
        MpscQueue<Object> queue = new MpscQueue<>(CHUNK);
        RingQueue<Object> ring = new RingQueue<>();
        for (int i = 0; i < 2 * CHUNK + 1; i++) {
            queue.offer(queue);
            queue.offerAlways(queue);
            Object item = queue.poll();
            if (item != null && queue.backlog() < queue.claimed() && !queue.isEmpty()) {
                ring.add(item);
            }
        }
        queue.stop();
        queue.offer(queue);
        long claimed = queue.close();
        while (!queue.takenUpTo(claimed) && queue.poll() != null) {
            ring.poll();
        }
        ShortMemory.pause();
        ParkState park = new ParkState();
        park.announce();
        park.commit();
        park.mustWrite();
        park.notWritten();
        park.isBlocking();
        park.resume();
    }

    private static void timers() {
        TimerHeap heap = new TimerHeap();
        for (int i = 0; i < 2; i++) {
            TimerNode node = new TimerNode() {
                @Override
                public void run() {
                    // Never called: this node only goes into a heap.
                }
            };
            node.arm(i);
            heap.add(node);
            if (heap.pollDue(i) == null || node.isCancelled() || node.isArmed()) {
                node.tryCancel();
            }
            if (node.tryArmAgain(i)) {
                heap.addAgain(node);
            }
            if (heap.pollDue(i) != null && node.hasFired()) {
                node.tryCancelFired();
            }
        }
        heap.earliest();
    }
}
