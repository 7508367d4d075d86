package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.PROT_EXEC;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;
import static dev.carillon.sys.layout.Constants.SA_ONSTACK;
import static dev.carillon.sys.layout.Constants.SA_RESTART;
import static dev.carillon.sys.layout.Constants.SA_SIGINFO;
import static dev.carillon.sys.layout.Constants.SIGUSR2;

import dev.carillon.Availability;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Architecture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The forwarder of this process: two pages, one eventfd and one carrier signal, which stay as long as the process does,
 * since nobody can show that no stopped thread is just inside the handler. The same holds for the pipes of loops.
 *
 * <p><b>Threading:</b> any thread; who owns a signal ({@link SignalOwners}) is the only one to route it.
 *
 * <p><b>Order:</b> the data page is written with volatile stores before the handler is installed by a system call.
 */
final class Forwarder {
    static final String CARRIER_PROPERTY = "carillon.signals.carrier";

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** While one frame of the handler runs no other begins on top of it; faults of the thread itself always come. */
    private static final long MASK = SignalSet.all()
            .minus(SignalSet.of(Signal.SIGKILL, Signal.SIGSTOP))
            .minus(SignalSet.of(Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGFPE, Signal.SIGILL, Signal.SIGTRAP))
            .minus(SignalSet.of(Signal.of(32), Signal.of(33)))
            .toBits();

    private static volatile @Nullable Signal carrierInUse;

    private final Signal carrier;
    private final int bell;
    private final ByteBuffer data;
    private final SignalAction action;

    /** What each signal did before ours, as PREVIOUS says it; null: we never had it. Under the lock of this object. */
    private final @Nullable SignalAction[] before = new @Nullable SignalAction[Signal.LAST + 1];

    /** Signals whose PREVIOUS stays as it is, for good. Under the lock of this object. */
    private SignalSet buried = SignalSet.empty();

    private Forwarder(Sys sys, Signal carrier) {
        this.carrier = carrier;
        bell = openBell(sys);
        long code = sys.memory().mapPrivate(2L * ForwarderLayout.PAGE, PROT_READ | PROT_WRITE);
        data = sys.libc()
                .view(code + ForwarderLayout.PAGE, ForwarderLayout.PAGE)
                .order(ByteOrder.nativeOrder());
        put(ForwarderLayout.TGID, sys.processes().pid());
        put(ForwarderLayout.CARRIER, carrier.number());
        put(ForwarderLayout.COOKIE, ThreadLocalRandom.current().nextInt());
        put(ForwarderLayout.VM_SIGNAL, vmSignal(System.getenv("_JAVA_SR_SIGNUM")));
        put(ForwarderLayout.BELL, bell);
        LONGS.setVolatile(
                data, ForwarderLayout.PASS, ThreadLocalRandom.current().nextLong());
        LONGS.setVolatile(data, ForwarderLayout.ONE, 1L);
        sys.libc().view(code, ForwarderLayout.PAGE).put(ForwarderCode.bytes());
        sys.memory().protect(code, ForwarderLayout.PAGE, PROT_READ | PROT_EXEC);
        action = handler(code, "entry");
        // Without our mark, or on another thread than a loop's, it does nothing: a stray carrier ends nobody.
        sys.signals().setAction(carrier.number(), handler(code, "carrier"));
    }

    private static SignalAction handler(long code, String label) {
        return new SignalAction(code + ForwarderCode.offsetOf(label), SA_SIGINFO | SA_RESTART | SA_ONSTACK, MASK);
    }

    /** The number is entered for good: the handler may write to it at any time. */
    private static int openBell(Sys sys) {
        Fd event = sys.clocks().event(0);
        return event.enter();
    }

    /** Whether it can be used here; the whole path is tried by each attach. */
    static Availability availability() {
        return Installed.AVAILABILITY;
    }

    /**
     * The one of this process.
     *
     * @throws UnsupportedOperationException if it cannot be used here
     */
    static Forwarder get() {
        availability().ensureAvailability();
        Forwarder forwarder = Installed.FORWARDER;
        if (forwarder == null) {
            throw new IllegalStateException(availability().toString());
        }
        return forwarder;
    }

    /** The carrier; before a forwarder was asked for, the one that it would take if one is named, else null. */
    static @Nullable Signal carrierInUse() {
        Signal inUse = carrierInUse;
        String property = System.getProperty(CARRIER_PROPERTY);
        if (inUse != null || property == null) {
            return inUse;
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

    int cookie() {
        return (int) INTS.getVolatile(data, ForwarderLayout.COOKIE);
    }

    /** The value with which our own process queues a signal past us, to the handler that was there before. */
    long pass() {
        return (long) LONGS.getVolatile(data, ForwarderLayout.PASS);
    }

    /**
     * Has the machine code go on to the handler that a signal has now, when nobody here wants the signal.
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
            // Somebody has put ours back after we left.
            return followed == null ? new SignalAction(SignalAction.DEFAULT, 0, 0) : followed;
        }
        if (!buried.contains(signal)) {
            before[signal.number()] = now;
            LONGS.setVolatile(data, ForwarderLayout.PREVIOUS + signal.number() * Long.BYTES, now.handler());
        }
        return now;
    }

    /** Somebody else has installed his handler over ours, and may call ours at any time, to the end of the process. */
    // r[impl signal.buried]
    synchronized void bury(Signal signal) {
        buried = buried.plus(signal);
    }

    /** Forwards a signal from now on by a route, {@link SignalPipe#route()}; 0: by none. */
    void route(Signal signal, long route) {
        LONGS.setVolatile(data, ForwarderLayout.ROUTES + signal.number() * Long.BYTES, route);
    }

    /** How often the kernel refused to forward the signal, since ever. */
    // r[impl signal.realtime]
    long refused(Signal signal) {
        return (long) LONGS.getVolatile(data, ForwarderLayout.REFUSED + signal.number() * Long.BYTES);
    }

    private void put(int offset, int value) {
        INTS.setVolatile(data, offset, value);
    }

    /** What HotSpot makes of this variable; see os::Posix in its sources. */
    static int vmSignal(@Nullable String variable) {
        if (variable == null || !variable.matches("\\d{1,4}")) {
            return SIGUSR2;
        }
        int number = Integer.parseInt(variable);
        return number > Signal.SIGSEGV.number() && number <= Signal.LAST ? number : SIGUSR2;
    }

    /** The signal that the property names, or the highest that nobody uses. */
    static Signal chooseCarrier(Sys sys, @Nullable String property) {
        if (property != null) {
            return named(sys, property);
        }
        int vmSignal = vmSignal(System.getenv("_JAVA_SR_SIGNUM"));
        for (int number = Signal.LAST; Signal.of(number).isRealtime(); number--) {
            if (number != vmSignal && isFree(sys, number)) {
                return Signal.of(number);
            }
        }
        throw new UnsupportedOperationException(
                "every real-time signal has a handler already, none is left to carry the others");
    }

    private static Signal named(Sys sys, String property) {
        Signal signal = Signal.named(property);
        if (!signal.isRealtime()) {
            throw new IllegalArgumentException("-D" + CARRIER_PROPERTY + "=" + property
                    + ": only a real-time signal queues; name one from SIGRTMIN to SIGRTMAX, or leave it out");
        }
        if (!isFree(sys, signal.number())) {
            throw new IllegalArgumentException("-D" + CARRIER_PROPERTY + "=" + property + ": " + signal
                    + " is taken by somebody else's handler; name another one, or leave it out");
        }
        return signal;
    }

    private static boolean isFree(Sys sys, int number) {
        return number != Attachable.OF_THE_JDK.number()
                && SignalOwners.of(number) == null
                && sys.signals().action(number).handler() == SignalAction.DEFAULT;
    }

    /** Made when first asked for. */
    private static final class Installed {
        static final Availability AVAILABILITY;
        static final @Nullable Forwarder FORWARDER;

        static {
            Forwarder forwarder = null;
            Availability availability;
            try {
                forwarder = install();
                availability = Availability.available("forwarder");
            } catch (RuntimeException cause) {
                availability = Availability.unavailable("forwarder", cause);
            }
            FORWARDER = forwarder;
            carrierInUse = forwarder == null ? null : forwarder.carrier;
            AVAILABILITY = availability;
        }

        private static Forwarder install() {
            LibC.availability().ensureAvailability();
            if (!Architecture.isX86()) {
                throw new UnsupportedOperationException("its machine code is for x86-64, this is "
                        + System.getProperty("os.arch") + "; the JVM capture is used instead");
            }
            Sys sys = Sys.get();
            return new Forwarder(sys, chooseCarrier(sys, System.getProperty(CARRIER_PROPERTY)));
        }
    }
}
