package dev.carillon.timer;

import dev.carillon.loop.EventLoop;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;

/** Views of a loop for libraries that want an executor of the JDK. A loop is an {@link java.util.concurrent.Executor} itself. */
public final class LoopExecutors {
    private LoopExecutors() {}

    /**
     * A loop as a ScheduledExecutorService with one thread, for tasks that do not block.
     *
     * <p><b>Tasks:</b> run on the loop thread, between its callbacks. What a task of {@code execute} throws goes to the error handler
     * of the loop; all others have futures, which keep it. As the contract says, a periodic task that throws ends, and only its
     * future tells; {@link EventLoop#scheduleRepeating} goes on instead. A fixed rate catches up with runs that were missed. Periods
     * below a microsecond are a microsecond. An interrupt that a task leaves on the thread is cleared before the next task of a view.
     *
     * <p><b>Order:</b> tasks of {@code execute} run in the order in which one thread gives them, and so do tasks that are due at the
     * same nanosecond. Between the two kinds there is no order: of {@code schedule} with a delay of 0, {@code execute} and again such
     * a {@code schedule}, any may run first. A ScheduledThreadPoolExecutor has one queue for both; where the order counts, use one
     * kind.
     *
     * <p><b>Waiting:</b> {@code get}, {@code invokeAll}, {@code invokeAny} and {@code awaitTermination} throw an
     * IllegalStateException on the thread of a loop, which they would block. A cancel does not interrupt a task that runs: the thread
     * belongs to the loop. It removes the timer of one that waits, and lets go of the task at once.
     *
     * <p><b>End:</b> a shutdown is one of the view, and the loop goes on. After {@code shutdown} the tasks that wait still run in
     * their time, and periodic ones are cancelled, as the ScheduledThreadPoolExecutor does by default. {@code shutdownNow} returns the
     * tasks that wait, and cancels their futures, so nobody waits for them in vain. At the end of the loop the view is shut down: what
     * waits for its time is cancelled, and what was to run at once runs. A view refuses tasks after its shutdown and when its loop
     * stops, with RejectedExecutionException.
     *
     * <p><b>Ownership:</b> the caller shuts the view down; otherwise the loop keeps it until its end. Each call makes another view.
     *
     * <p><b>Threading:</b> any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop ends or has ended
     */
    public static ScheduledExecutorService scheduled(EventLoop loop) {
        LoopScheduledExecutor view = new LoopScheduledExecutor(Objects.requireNonNull(loop, "loop"));
        view.begin();
        return view;
    }
}
