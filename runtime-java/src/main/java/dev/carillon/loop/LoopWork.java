package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.queue.Chain;
import dev.carillon.loop.queue.MpscQueue;
import dev.carillon.loop.queue.RingQueue;
import dev.carillon.loop.queue.TimerHeap;
import dev.carillon.loop.queue.TimerNode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * Runs what is ready on a loop, in batches.
 *
 * <p><b>Threading:</b> the loop thread; the statistics: any.
 */
// r[impl loop.fairness] r[impl loop.depth]
final class LoopWork {
    private static final VarHandle PROGRESS;
    private static final int SOURCES = 4;

    static {
        try {
            PROGRESS = MethodHandles.lookup().findVarHandle(LoopWork.class, "progress", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How many callbacks run between two readings of the clock. A reading per callback would double its cost. */
    private static final int STRIDE = 256;

    private final MpscQueue<Object> remote;
    private final RingQueue<Object> local;
    private final Chain<LoopCommand> completions;
    private final LoopTimers timers;
    private final LongSupplier clock;
    private final ErrorSink errors;
    private final int batch;
    private final int stride;
    private int turn;

    /** Whether the sources take turns, since the limit is below a batch. */
    private boolean inTurns;

    /** How many timers this iteration still may run. */
    private int timersLeft;

    /** How many completions the starters of their operations may still take back in this iteration. */
    private int takesLeft;

    private int sinceTick;
    private long lastTick;
    private long lastRun;

    // Statistics and the watchdog's view: the loop writes them, any thread reads them at any time.
    private long tasks;
    private long fired;
    private long failures;
    private long longest;
    private volatile long progress;

    /**
     * Nothing to run yet.
     *
     * @param remote the posts of other threads
     * @param local the posts of the loop's own thread
     * @param completions of operations
     * @param batch how many of each kind one iteration runs at most
     * @param isWatched whether a watchdog wants to see each callback
     */
    LoopWork(
            MpscQueue<Object> remote,
            RingQueue<Object> local,
            Chain<LoopCommand> completions,
            LoopTimers timers,
            LongSupplier clock,
            ErrorSink errors,
            int batch,
            boolean isWatched) {
        this.remote = remote;
        this.local = local;
        this.completions = completions;
        this.timers = timers;
        this.clock = clock;
        this.errors = errors;
        this.batch = batch;
        this.stride = isWatched ? 1 : STRIDE;
    }

    /** Whether anything but a timer could run at once. */
    boolean isReady() {
        return hasOwn() || !remote.isEmpty();
    }

    /** Whether tasks of the loop's own thread or completions wait. */
    boolean hasOwn() {
        return !local.isEmpty() || !completions.isEmpty();
    }

    /** Gives back the memory that a burst has taken. */
    void giveBack() {
        local.giveBack();
    }

    /** Runs a batch of each kind, so many callbacks at most; returns how many it ran. */
    int run(int limit) {
        sinceTick = 0;
        long began = System.nanoTime();
        lastTick = began;
        // With a limit below a batch the sources take turns, or the first one would shut out the others.
        inTurns = limit < batch;
        timers.tidy();
        turn = inTurns ? (turn + 1) % SOURCES : 0;
        timersLeft = batch;
        takesLeft = batch;
        long firedBefore = fired;
        int ran = 0;
        for (int i = 0; i < SOURCES && ran + fired - firedBefore < limit; i++) {
            int most = (int) Math.min(batch, limit - ran - fired + firedBefore);
            ran += switch ((turn + i) % SOURCES) {
                case 0 -> timers.isEmpty() ? 0 : runTimers(most);
                case 1 -> runCompletions(most);
                case 2 -> runRemote(most);
                default -> runLocal(most);
            };
        }
        tick();
        lastRun = lastTick - began;
        return ran + (int) (fired - firedBefore);
    }

    /** How long the last {@link #run} took. */
    long lastRunNanos() {
        return lastRun;
    }

    /**
     * Runs timers that are due, a batch per iteration at most, and counts them in {@link #fired}; returns 0. A timer that
     * came due runs before tasks that were posted after that. Where no timer is set, this does not read the clock.
     */
    // r[impl timer.before-tasks]
    private int runTimers(int most) {
        if (timersLeft == 0 || timers.size() == 0) {
            return 0;
        }
        long now = clock.getAsLong();
        if (timers.mayBeDue(now)) {
            TimerNode timer;
            for (int left = Math.min(most, timersLeft); left > 0 && (timer = timers.pollDue(now)) != null; left--) {
                timersLeft--;
                fired++;
                call(timer);
            }
        }
        return 0;
    }

    private int runCompletions(int most) {
        int ran = 0;
        LoopCommand completion;
        while (ran < most && (completion = completions.poll()) != null) {
            ran++;
            call(completion);
        }
        return ran;
    }

    /** Takes out a completion that is about to be called; false if this iteration has allowed enough of that. */
    boolean tryTake(LoopCommand completion) {
        if (takesLeft == 0) {
            return false;
        }
        takesLeft--;
        completions.remove(completion);
        return true;
    }

    /**
     * Commands count for the batch, but not for the caller. Posts that come meanwhile wait for the next batch: a loop that
     * follows the posting threads place by place takes from them the cache line that they write to.
     */
    private int runRemote(int most) {
        long there = Math.min(batch, remote.backlog());
        if (there > 0 && !inTurns) {
            runTimers(batch);
        }
        int ran = 0;
        Object item;
        for (long i = 0; i < there && ran < most && (item = remote.poll()) != null; i++) {
            ran += runPosted(item);
        }
        return ran;
    }

    /**
     * Runs local posts in generations. A post from within one belongs to the next, and before each the loop looks for
     * timers.
     */
    private int runLocal(int most) {
        // Local variables, since a callback might change any field, as far as the compiler knows.
        RingQueue<Object> queue = local;
        TimerHeap heap = timers.heap();
        int inOneBatch = batch;
        int ran = 0;
        int generationEnd = 0;
        Object item;
        for (int i = 0; i < inOneBatch && ran < most; i++) {
            if (i >= generationEnd && heap.size() != 0) {
                generationEnd = beginGeneration(i);
            }
            if ((item = queue.poll()) == null) {
                break;
            }
            ran += runPosted(item);
        }
        return ran;
    }

    private int beginGeneration(int at) {
        if (!inTurns) {
            runTimers(batch);
        }
        return at + local.size();
    }

    private int runPosted(Object item) {
        if (!call(item)) {
            return 0;
        }
        tasks++;
        return 1;
    }

    /** The one place that calls callbacks; returns whether the item was a callback of a user, and no command. */
    // r[impl loop.errors]
    private boolean call(Object item) {
        boolean isCommand = item instanceof LoopCommand;
        try {
            if (isCommand) {
                ((LoopCommand) item).onLoop();
            } else {
                ((Runnable) item).run();
            }
        } catch (Throwable thrown) {
            failures++;
            if (isEndOfLoop(thrown)) {
                throw (VirtualMachineError) thrown;
            }
            errors.report(thrown);
        }
        if (++sinceTick >= stride) {
            tick();
        }
        return !isCommand;
    }

    /**
     * An OutOfMemoryError or StackOverflowError is no end: when the callback has come back, memory and stack are there
     * again.
     */
    private static boolean isEndOfLoop(Throwable thrown) {
        return thrown instanceof VirtualMachineError
                && !(thrown instanceof OutOfMemoryError)
                && !(thrown instanceof StackOverflowError);
    }

    private void tick() {
        long now = System.nanoTime();
        longest = Math.max(longest, now - lastTick);
        lastTick = now;
        sinceTick = 0;
        PROGRESS.setOpaque(this, progress + 1);
    }

    /** Runs the next item that was accepted, of any source; false if there is none. For the end of the loop. */
    boolean runNext() {
        Object item = completions.poll();
        if (item == null) {
            item = local.poll();
        }
        if (item == null) {
            item = remote.poll();
        }
        if (item == null) {
            return false;
        }
        runPosted(item);
        return true;
    }

    /** Changes whenever a few callbacks have come back. */
    long progress() {
        return progress;
    }

    long tasks() {
        return tasks;
    }

    long fired() {
        return fired;
    }

    long failures() {
        return failures;
    }

    long longest() {
        return longest;
    }
}
