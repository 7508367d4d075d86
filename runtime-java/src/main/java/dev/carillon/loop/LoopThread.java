package dev.carillon.loop;

import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.VirtualThreads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a loop belongs to, and whether it runs the loop. Its string names the loop in messages.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl loop.binding]
final class LoopThread {
    /** Holds the loop that runs on the thread. The holder stays there, so that entering a loop allocates nothing. */
    private static final ThreadLocal<Running> CURRENT = ThreadLocal.withInitial(Running::new);

    /** IDLE <-> RUNNING (in a run method, or being ended by a closer); RUNNING -> ENDED. Only the winner of the step
     * to RUNNING touches what belongs to the loop thread. */
    private enum Use {
        IDLE,
        RUNNING,
        ENDED
    }

    private final String name;
    private final Executor loop;
    private final AtomicReference<Use> use = new AtomicReference<>(Use.IDLE);
    private final CountDownLatch ended = new CountDownLatch(1);
    final LoopRegistry.Entry entry;
    private volatile @Nullable Thread thread;

    /** The thread that is in a run method, or ends the loop; null -> a thread (adopt) -> null (exit). */
    private volatile @Nullable Thread runner;

    /** The loop that ran on the thread of a closer before; only that thread uses this. */
    private @Nullable LoopThread outer;

    /** Whether start() made the thread, which runs the loop to its end. */
    private boolean ownThread;

    /**
     * No thread yet.
     *
     * @param loop the loop that {@link #current} returns on this thread
     * @param atExit what the exit of the VM does with the loop while it runs
     */
    LoopThread(String name, Executor loop, LoopRegistry.AtExit atExit) {
        this.name = name;
        this.loop = loop;
        this.entry = new LoopRegistry.Entry(atExit);
    }

    /** The loop that runs on the calling thread, or null. */
    static @Nullable Executor current() {
        LoopThread running = CURRENT.get().here;
        return running == null ? null : running.loop;
    }

    String name() {
        return name;
    }

    /**
     * Whether the calling thread runs the loop at this moment. Between two runs no thread does, also not the thread that the
     * loop belongs to: another one may be ending the loop then.
     */
    boolean runsHere() {
        return Thread.currentThread() == runner;
    }

    /**
     * Between two runs, lets the thread of the loop touch what is the loop thread's, until {@link #giveBack}; meanwhile no
     * other thread can end the loop. False on other threads, and where another thread is ending the loop already.
     */
    boolean borrow() {
        if (!isMine() || !use.compareAndSet(Use.IDLE, Use.RUNNING)) {
            return false;
        }
        if (!isMine()) {
            giveBack();
            return false;
        }
        runner = Thread.currentThread();
        return true;
    }

    void giveBack() {
        runner = null;
        use.compareAndSet(Use.RUNNING, Use.IDLE);
    }

    /** Whether the loop belongs to the calling thread, running or not. */
    boolean isMine() {
        return Thread.currentThread() == thread;
    }

    @Nullable
    Thread thread() {
        return thread;
    }

    /** Binds the loop to a new thread, before that thread starts. */
    synchronized void bind(Thread fresh) {
        if (thread != null || use.get() != Use.IDLE) {
            throw new IllegalStateException(
                    this + " was started or run already; a loop has one thread for life: open" + " another one");
        }
        // An exit that begins before the thread has run must find this loop.
        LoopRegistry.add(entry);
        thread = fresh;
        ownThread = true;
    }

    /** The new thread could not be started. */
    synchronized void unbind() {
        LoopRegistry.remove(entry);
        thread = null;
        ownThread = false;
    }

    private synchronized void bindCaller() {
        Thread me = Thread.currentThread();
        if (VirtualThreads.isCurrent()) {
            throw new IllegalStateException(this + " cannot run on a virtual thread, which changes the thread that the"
                    + " kernel sees; use a platform thread, or start()");
        }
        if (thread == null) {
            thread = me;
        } else if (thread != me) {
            throw new IllegalStateException(this + " belongs to thread " + thread.getName() + ", not to " + me.getName()
                    + "; run it there, or post tasks with execute()");
        }
    }

    /** Begins a run method. */
    void enter() {
        LoopThread running = CURRENT.get().here;
        if (running != null) {
            throw new IllegalStateException("thread " + Thread.currentThread().getName() + " runs " + running
                    + " already; a callback cannot run a loop: return, and let the loop go on");
        }
        bindCaller();
        if (!use.compareAndSet(Use.IDLE, Use.RUNNING)) {
            throw new IllegalStateException(this + " is closed; open another one");
        }
        adopt();
    }

    /** Makes a closer the thread of a loop that no thread runs; false if a thread runs or will run it, or it has ended. */
    synchronized boolean takeOver() {
        Thread bound = thread;
        boolean willRun = ownThread
                && bound != null
                && bound != Thread.currentThread()
                && bound.getState() != Thread.State.TERMINATED;
        if (willRun || !use.compareAndSet(Use.IDLE, Use.RUNNING)) {
            return false;
        }
        thread = Thread.currentThread();
        adopt();
        return true;
    }

    /** Makes the calling thread the runner; where memory is short, nothing has changed. */
    private void adopt() {
        try {
            Running running = CURRENT.get();
            LoopThreads.mark();
            LoopRegistry.add(entry);
            outer = running.here;
            running.here = this;
            runner = Thread.currentThread();
        } catch (OutOfMemoryError memoryIsShort) {
            use.set(Use.IDLE);
            throw memoryIsShort;
        }
    }

    /** Throws on a thread that does not run the loop at this moment. */
    void ensureRunsHere(String what) {
        if (!runsHere()) {
            throw new IllegalStateException(what + " belongs on the thread of " + this + ", this is "
                    + Thread.currentThread().getName() + "; post it with execute()");
        }
    }

    /** Ends a run method, or a takeover. */
    void exit() {
        LoopRegistry.remove(entry);
        runner = null;
        CURRENT.get().here = outer;
        if (outer == null) {
            LoopThreads.unmark();
        }
        outer = null;
        use.compareAndSet(Use.RUNNING, Use.IDLE);
    }

    /** The calling thread has ended the loop. */
    void end() {
        LoopRegistry.remove(entry);
        use.set(Use.ENDED);
        ended.countDown();
    }

    /** Whether the exit of the VM has ended the loop, or is about to. */
    boolean isEndedByExit() {
        return entry.isEndedByExit();
    }

    boolean isEnded() {
        return ended.getCount() == 0;
    }

    CountDownLatch ended() {
        return ended;
    }

    /** Throws where a wait for this loop would never end, or would block another loop. */
    void ensureMayWait(String what) {
        if (isEnded()) {
            return;
        }
        LoopThread running = CURRENT.get().here;
        Thread bound = thread;
        if (running == this || bound == Thread.currentThread()) {
            throw new IllegalStateException(what + " would block " + this
                    + " on its own thread, for ever; use a callback" + " (whenComplete), or wait on another thread");
        }
        if (running != null) {
            throw new IllegalStateException(what + " would block " + running + " until " + this
                    + " is done; use a callback (whenComplete), or wait on a thread that is no loop's");
        }
        boolean runs = bound != null && (bound.isAlive() || bound.getState() == Thread.State.NEW);
        // A thread that is gone may have ended the loop just now.
        if (!runs && !isEnded()) {
            throw new IllegalStateException(what + " would wait for " + this
                    + ", which nobody runs; call start(), or run() on the thread that is to be its own");
        }
    }

    @Override
    public String toString() {
        Thread bound = thread;
        String state = bound == null ? "not started" : use.get() == Use.ENDED ? "closed" : "on " + bound.getName();
        return "EventLoop[" + name + ", " + state + "]";
    }

    /** The holder that a thread has in CURRENT. */
    private static final class Running {
        private @Nullable LoopThread here;
    }
}
