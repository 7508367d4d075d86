package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.SA_ONSTACK;
import static dev.carillon.sys.layout.Constants.SA_RESTART;
import static dev.carillon.sys.layout.Constants.SA_SIGINFO;

import dev.carillon.Availability;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.Failure;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The forwarder of this process: three pages, one eventfd and one carrier signal, which stay as long as the process does,
 * since a stopped thread may be just inside the handler. The same holds for the pipes of loops.
 *
 * <p><b>Threading:</b> any thread; the service that owns a signal is the only one that routes it.
 */
public final class Forwarder {
    /** While one frame of the handler runs no other begins on top of it; faults of the thread itself always come. */
    private static final long MASK = SignalSet.all()
            .minus(SignalSet.of(Signal.SIGKILL, Signal.SIGSTOP))
            .minus(SignalSet.of(Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGFPE, Signal.SIGILL, Signal.SIGTRAP))
            .minus(SignalSet.of(Signal.of(32), Signal.of(33)))
            .toBits();

    /** In the first pid namespace no process is out of sight. */
    static final boolean IS_IN_FIRST_NAMESPACE = isInFirstNamespace();

    private static final Object LOCK = new Object();

    /** What was found out for good; null: not asked yet, or the cause may have gone since. */
    private static volatile @Nullable Availability known;

    private static volatile @Nullable Forwarder installed;

    private final Signal carrier;
    private final int bell;
    private final long cookie;
    private final long pass;
    private final ForwarderPages pages;
    private final SignalAction action;

    /** What each signal did before ours, as PREVIOUS says it; null: we never had it. Under the lock of this object. */
    private final @Nullable SignalAction[] before = new @Nullable SignalAction[Signal.LAST + 1];

    /** Signals whose PREVIOUS stays as it is, for good. Under the lock of this object. */
    private SignalSet buried = SignalSet.empty();

    private Forwarder(Sys sys, Signal carrier, ForwarderPages pages) {
        this.carrier = carrier;
        this.pages = pages;
        cookie = RandomNumbers.next(sys);
        pass = RandomNumbers.next(sys);
        // Entered for good: the handler may write to it at any time.
        bell = sys.clocks().event(0).acquire();
        int pid = sys.processes().pid();
        pages.change(() -> {
            pages.putInt(ForwarderLayout.TGID, pid);
            pages.putInt(ForwarderLayout.CARRIER, carrier.number());
            pages.putInt(ForwarderLayout.VM_SIGNAL, VmSignals.suspending());
            pages.putInt(ForwarderLayout.BELL, bell);
            pages.putInt(ForwarderLayout.NESTED, IS_IN_FIRST_NAMESPACE ? 0 : 1);
            pages.putLong(ForwarderLayout.COOKIE, cookie);
            pages.putLong(ForwarderLayout.PASS, pass);
            pages.putLong(ForwarderLayout.ONE, 1L);
        });
        action = handler("entry");
        // Without our mark, or on another thread than a loop's, it does nothing: a stray carrier ends no process.
        sys.signals().setAction(carrier.number(), handler("carrier"));
    }

    private SignalAction handler(String label) {
        return new SignalAction(pages.addressOf(label), SA_SIGINFO | SA_RESTART | SA_ONSTACK, MASK);
    }

    private static Forwarder install() {
        LibC.availability().ensureAvailability();
        Sys sys = Sys.get();
        Signal carrier = CarrierChoice.claim(sys, System.getProperty(CarrierChoice.PROPERTY));
        ForwarderPages pages = null;
        Forwarder forwarder = null;
        try {
            pages = new ForwarderPages(sys);
            forwarder = new Forwarder(sys, carrier, pages);
            return forwarder;
        } finally {
            if (forwarder == null) {
                CopyOwners.release(carrier);
                if (pages != null) {
                    pages.free();
                }
            }
        }
    }

    /** Whether it can be used here; the whole path is tried by each attach. */
    public static Availability availability() {
        Availability answer = known;
        return answer != null ? answer : tryToInstall();
    }

    /** What keeps it away for the moment only, as the limit of descriptors, is not remembered. */
    // r[impl signal.transient]
    private static Availability tryToInstall() {
        synchronized (LOCK) {
            Availability answer = known;
            if (answer != null) {
                return answer;
            }
            try {
                installed = install();
                answer = Availability.available("forwarder");
                known = answer;
            } catch (RuntimeException cause) {
                answer = Availability.unavailable("forwarder", cause);
                if (!Failure.isTransient(cause)) {
                    known = answer;
                }
            }
            return answer;
        }
    }

    /**
     * The one of this process.
     *
     * @throws UnsupportedOperationException if it cannot be used here
     */
    static Forwarder get() {
        Availability availability = availability();
        availability.ensureAvailability();
        Forwarder forwarder = installed;
        if (forwarder == null) {
            throw new IllegalStateException(availability.toString());
        }
        return forwarder;
    }

    /** The carrier; before a forwarder was asked for, the one that it would take if one is named, else null. */
    public static @Nullable Signal carrierInUse() {
        Forwarder forwarder = installed;
        String property = System.getProperty(CarrierChoice.PROPERTY);
        if (forwarder != null || property == null) {
            return forwarder == null ? null : forwarder.carrier;
        }
        Signal named = Signal.named(property);
        return named.isRealtime() ? named : null;
    }

    Signal carrier() {
        return carrier;
    }

    /** The eventfd. */
    int bell() {
        return bell;
    }

    /** What attached signals do. */
    SignalAction action() {
        return action;
    }

    long cookie() {
        return cookie;
    }

    /** The value with which our own process queues a signal past us, to the handler that was there before. */
    long pass() {
        return pass;
    }

    /**
     * Has the machine code go on to the handler that a signal has now, when no service here wants the signal.
     *
     * <p>Not where that handler is ours, nor where the signal is buried: either may call us, and we would call it, and so
     * on for ever.
     *
     * @return what is to be put back when we leave
     */
    // r[impl signal.buried]
    synchronized SignalAction follow(Signal signal, SignalAction now) {
        SignalAction followed = before[signal.number()];
        if (now.handler() == action.handler()) {
            // Other code has put ours back after we left.
            return followed == null ? new SignalAction(SignalAction.DEFAULT, 0, 0) : followed;
        }
        if (!buried.contains(signal)) {
            before[signal.number()] = now;
            pages.change(() -> pages.putLong(ForwarderLayout.PREVIOUS, signal, now.handler()));
        }
        return now;
    }

    /** Other code has installed its handler over ours, and may call ours at any time, to the end of the process. */
    // r[impl signal.buried]
    synchronized void bury(Signal signal) {
        buried = buried.plus(signal);
    }

    /** Forwards a signal from now on by a route, {@link SignalPipe#route()}. */
    void route(Signal signal, long route) {
        pages.change(() -> pages.putLong(ForwarderLayout.ROUTES, signal, route));
    }

    /**
     * Forwards a signal no more, when what it did before us has been put back.
     *
     * <p>A thread that the kernel has sent into our handler before that may come to look for the route only now: it was
     * stopped, or had not run yet. It has a signal that was sent to us. A standard one does what it did before us, as one
     * that is sent now. A real-time one is dropped with those that were held back: of them there may be as many as there
     * are threads. Only a buried one goes on, as it cannot be told from what another handler passes on.
     */
    // r[impl signal.backpressure] r[impl signal.passed-on]
    synchronized void routeNoMore(Signal signal) {
        boolean isDropped = signal.isRealtime() && !buried.contains(signal);
        route(signal, isDropped ? ForwarderLayout.DROPPED : 0);
    }

    /** How often the kernel refused to forward the signal, since ever. */
    // r[impl signal.realtime]
    long refused(Signal signal) {
        return pages.getLong(ForwarderLayout.REFUSED, signal);
    }

    private static boolean isInFirstNamespace() {
        try {
            // The inode of the first one is a constant of the kernel: PROC_PID_INIT_INO.
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                    .toString()
                    .equals("pid:[4026531836]");
        } catch (IOException notTold) {
            return false;
        }
    }
}
