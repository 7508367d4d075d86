package dev.carillon.io.epoll;

import static dev.carillon.sys.layout.Constants.EPOLLERR;
import static dev.carillon.sys.layout.Constants.EPOLLHUP;
import static dev.carillon.sys.layout.Constants.EPOLLIN;
import static dev.carillon.sys.layout.Constants.EPOLLPRI;
import static dev.carillon.sys.layout.Constants.EPOLLRDHUP;

import dev.carillon.io.backend.Request;
import dev.carillon.io.backend.Target;
import dev.carillon.io.epoll.OperationCalls.Outcome;
import dev.carillon.loop.access.WatchedDescriptor;
import dev.carillon.loop.queue.Chain;
import dev.carillon.loop.queue.TimerNode;
import dev.carillon.sys.Fd;
import org.jspecify.annotations.Nullable;

/** One descriptor as the epoll backend knows it; docs/loop.md has its states. <b>Threading:</b> the loop thread. */
final class EpollSlot {
    /** Events that may change what a read finds. */
    static final int INPUT = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR;

    /** After these a short read does not mean that nothing is left: the end, or bytes behind an urgent one. */
    private static final int MORE_BEHIND = INPUT & ~EPOLLIN;

    /** So many operations may complete in their own call, in one iteration. */
    private static final int BUDGET = 16;

    /** Null for a watch. */
    @Nullable
    Target target;

    final int number;

    final Chain<Request> input = new Chain<>();
    final Chain<Request> output = new Chain<>();

    /** Its place in the table. The generation distinguishes it from slots that had this place before. */
    final int index;

    final int generation;

    /** The events for which epoll watches it, without EPOLLET; meaningless until epoll knows it. */
    int armed;

    boolean isKnown;

    /** epoll refuses this kind of descriptor, since it is always ready. */
    boolean isAlwaysReady;

    boolean isDeferred;

    /** How many events in a row came without a waiter. */
    int unclaimed;

    /** Stands in for a borrowed number, whose owner may close it at any time. */
    @Nullable
    Fd duplicate;

    int duplicateNumber;

    final @Nullable WatchedDescriptor watch;

    private int budget;

    /** The iteration that the budget is for; -1 is none, since the first iteration, before the first poll, is number 0. */
    private long budgetOf = -1;

    private boolean isDrained;
    private boolean hasMoreBehind;
    private boolean hasPriority;
    private @Nullable Pause inputPause;
    private @Nullable Pause outputPause;

    EpollSlot(int number, int index, int generation, @Nullable WatchedDescriptor watch) {
        this.number = number;
        this.index = index;
        this.generation = generation;
        this.watch = watch;
    }

    /** Whether one more operation may complete in its own call. */
    boolean mayComplete(long iteration) {
        if (budgetOf != iteration) {
            budgetOf = iteration;
            budget = BUDGET;
        }
        return budget-- > 0;
    }

    void onEvent(int events) {
        isDrained &= (events & INPUT) == 0;
        hasMoreBehind |= (events & MORE_BEHIND) != 0;
        hasPriority |= (events & EPOLLPRI) != 0;
    }

    /**
     * Whether epoll has told of an exceptional event since the last one was taken. A file of the kernel, such as
     * /proc/pressure/memory, forgets it when it has told it, so that a poll(2) would not find it. A socket remembers: what was
     * told of it may be read by now.
     */
    // r[impl io.priority]
    private boolean takePriority(Target from) {
        boolean had = hasPriority;
        hasPriority = false;
        return had && !from.kind.isSocket();
    }

    /** Tries an operation, unless what is known of the descriptor says how that would end. */
    Outcome attempt(Request request, OperationCalls calls) {
        if (isFutile(request)) {
            return Outcome.AGAIN;
        }
        Target on = request.target();
        if (request.kind == Request.Kind.AWAIT_PRIORITY && takePriority(on)) {
            request.succeed(EPOLLPRI);
            return Outcome.DONE;
        }
        return calls.attempt(request, on);
    }

    /**
     * A read took all that was there. Whatever comes from now on is an edge, or epoll finds it when the interest is armed.
     * But an end that came before the read, with the bytes, brings no event of its own.
     */
    // r[impl io.drained]
    void onDrained() {
        isDrained = !hasMoreBehind;
    }

    /** An event may be on its way that nobody has seen yet. */
    void mayHaveMore() {
        isDrained = false;
    }

    /** Whether its system call would only say EAGAIN. */
    boolean isFutile(Request request) {
        return isDrained && request.kind == Request.Kind.READ;
    }

    /** The data that epoll returns with each event. */
    long data() {
        return (long) generation << Integer.SIZE | index;
    }

    Chain<Request> list(boolean forInput) {
        return forInput ? input : output;
    }

    @Nullable
    Pause pause(boolean forInput) {
        return forInput ? inputPause : outputPause;
    }

    boolean isPaused(boolean forInput) {
        Pause pause = pause(forInput);
        return pause != null && pause.isArmed();
    }

    void pauseWith(boolean forInput, Pause pause) {
        if (forInput) {
            inputPause = pause;
        } else {
            outputPause = pause;
        }
    }

    /** The number by which epoll knows it. */
    int number() {
        return duplicate == null ? number : duplicateNumber;
    }

    boolean isIdle() {
        return input.isEmpty() && output.isEmpty();
    }

    /** Tries one side again after a pause, which doubles each time. */
    abstract static class Pause extends TimerNode {
        private long nanos;

        /** How long the next pause is. */
        long next(long shortest, long longest) {
            nanos = nanos == 0 ? shortest : Math.min(longest, nanos * 2);
            return nanos;
        }

        /** An operation went through. */
        void reset() {
            nanos = 0;
        }
    }

    /** For debugging. */
    @Override
    public String toString() {
        return "EpollSlot[" + number() + ", known " + isKnown + ", armed " + Integer.toHexString(armed) + ", unclaimed "
                + unclaimed + ", idle " + isIdle() + "]";
    }
}
