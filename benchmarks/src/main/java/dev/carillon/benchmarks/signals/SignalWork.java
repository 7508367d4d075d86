package dev.carillon.benchmarks.signals;

import dev.carillon.benchmarks.worker.Affinity;
import dev.carillon.benchmarks.worker.Calls;
import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.sys.LibC;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * From kill(2) to the code that waited for the signal. Before each one the sender sleeps a moment, so that the receiver does
 * too.
 *
 * <p>The kernel gives a signal of a process to its first thread, which a VM leaves asleep. So all threads but the sender are
 * kept on the second side's core.
 */
public final class SignalWork implements Work {
    private static final int SIGURG = 23;
    private static final long SETTLE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long PATIENCE_SECONDS = 20;
    private static final int WARM_UPS = 40;
    private static final int WARM_UP_OPS = 100;

    private final LibC libc = LibC.get();
    private final int pid = (int) ProcessHandle.current().pid();
    private final Listening listening;
    private Thread sender = Thread.currentThread();
    private long heardAt;
    private volatile boolean isHeard;

    private SignalWork(Listening.Maker maker) throws Exception {
        listening = maker.start(this::hear);
    }

    /** Opens it with all other threads on the second side's core. */
    public static Work open(Listening.Maker maker, Stage stage) throws Exception {
        SignalWork work = new SignalWork(maker);
        work.round(1, new Figures()); // what is started with the first signal is there now
        Affinity.pinOthers(stage.second());
        return WarmUp.rounds(work, WARM_UPS, WARM_UP_OPS);
    }

    @Override
    public void round(long ops, Figures figures) throws TimeoutException {
        sender = Thread.currentThread();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (long i = 0; i < ops; i++) {
            LockSupport.parkNanos(this, SETTLE_NANOS);
            isHeard = false;
            long sent = System.nanoTime();
            Calls.check("kill", libc.kill(pid, SIGURG));
            while (!isHeard) {
                LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
                if (System.nanoTime() - deadline > 0) {
                    throw new TimeoutException("a signal was not heard, after " + i + " that were");
                }
            }
            figures.nanos(heardAt - sent);
        }
    }

    private void hear() {
        heardAt = System.nanoTime();
        isHeard = true;
        LockSupport.unpark(sender);
    }

    @Override
    public void close() {
        listening.close();
    }
}
