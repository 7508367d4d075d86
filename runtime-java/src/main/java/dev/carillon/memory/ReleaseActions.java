package dev.carillon.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is done when a region is closed, while its memory is still there.
 *
 * <p><b>Threading:</b> any thread, under this object's lock, also while the actions run.
 */
final class ReleaseActions {
    private final List<Runnable> actions = new ArrayList<>();

    private volatile @Nullable Thread runner;

    /** Adds an action, unless the region is closed. */
    synchronized void add(RegionViews views, Runnable action) {
        if (views.isClosed()) {
            throw views.closed("beforeRelease()");
        }
        actions.add(action);
    }

    /** Whether the calling thread is in one of the actions. */
    boolean isRunningHere() {
        return runner == Thread.currentThread();
    }

    /** Runs all; one that fails keeps neither the others from their work nor the memory from its release. */
    synchronized void run() {
        Throwable first = null;
        runner = Thread.currentThread();
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error failure) {
                if (first == null) {
                    first = failure;
                } else if (first != failure) {
                    first.addSuppressed(failure);
                }
            }
        }
        actions.clear();
        runner = null;
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
        if (first instanceof Error failure) {
            throw failure;
        }
    }
}
