package dev.carillon.process;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.TimerHandle;
import dev.carillon.loop.Watch;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has a loop look for the end of a process: when its pidfd says so. Where there is no pidfd, or the loop cannot watch it, a
 * timer of the loop looks after 1, 2, 4 ms, at most 50, and tries to watch it again.
 *
 * <p><b>Threading:</b> under the lock of its owner; the loop thread looks without it.
 */
final class Lookout {
    /** There is no pidfd at present. */
    static final int NO_PIDFD = -1;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    private final LoopService owner;
    private final IntSupplier pidfd;
    private final Runnable look;
    private EventLoop loop;
    private @Nullable Watch watch;
    private @Nullable TimerHandle timer;

    /** Counts the attempts to watch: what comes late from an earlier one is known by it. */
    private int attempt;

    /**
     * Does not look yet.
     *
     * @param owner is a service of the loop while that looks, and its lock is the lock
     * @param loop is the one that {@link #loop} names before the first {@link #begin}
     * @param pidfd opens the pidfd if it is not open, and gives its number or {@link #NO_PIDFD}
     * @param look looks for the end, and calls {@link #end} when it has come
     */
    Lookout(LoopService owner, EventLoop loop, IntSupplier pidfd, Runnable look) {
        this.owner = owner;
        this.loop = loop;
        this.pidfd = pidfd;
        this.look = look;
    }

    /** The loop that looks, or was the last one to do so. */
    EventLoop loop() {
        return loop;
    }

    /**
     * Has a loop look.
     *
     * @throws RejectedExecutionException if the loop is stopping or has ended
     */
    void begin(EventLoop on) {
        loop = on;
        on.register(owner);
        boolean begun = false;
        try {
            if (on.isStopping()) {
                // Its end, or the exit of the VM, may have passed by this one already.
                throw new RejectedExecutionException(on + " is stopping");
            }
            watch(FIRST_PAUSE);
            begun = true;
        } finally {
            if (!begun) {
                on.unregister(owner);
            }
        }
    }

    /** The watching begins later, on the loop thread, and may fail there. */
    // r[impl process.without-pidfd]
    private void watch(Duration pause) {
        int mine = ++attempt;
        int number = pidfd.getAsInt();
        if (number == NO_PIDFD) {
            lookAfter(pause, mine);
        } else {
            watch = loop.watch(number, look, unwatchable -> lookAfter(pause, mine));
        }
    }

    private void lookAfter(Duration pause, int mine) {
        synchronized (owner) {
            if (mine == attempt) {
                timer = loop.schedule(pause, () -> lookAndWatch(pause, mine));
            }
        }
    }

    private void lookAndWatch(Duration pause, int mine) {
        synchronized (owner) {
            if (mine != attempt) {
                return;
            }
        }
        look.run();
        synchronized (owner) {
            if (mine == attempt) {
                Duration doubled = pause.multipliedBy(2);
                watch(doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE);
            }
        }
    }

    /** Looks no more; the loop has closed its services, or does so. */
    void stop() {
        attempt++;
        if (watch != null) {
            watch.close();
            watch = null;
        }
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Looks no more, and the owner is no service of the loop any more. */
    void end() {
        stop();
        loop.unregister(owner);
    }
}
