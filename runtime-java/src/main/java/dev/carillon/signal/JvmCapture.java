package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.SignalCapture;
import dev.carillon.signal.forwarder.SignalSink;
import dev.carillon.signal.forwarder.VmSignals;
import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Sys;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Signals through the JVM's own handler, on any operating system: without their sender, and only those that the VM lets
 * go.
 *
 * <p>It calls {@code sun.misc.Signal} by reflection, since the compiler has a warning for direct calls that nothing can
 * switch off.
 *
 * <p><b>Threading:</b> the loop's; the VM calls handlers on threads of its own.
 */
final class JvmCapture implements SignalCapture {
    /** What the kernel ignores by default. */
    private static final SignalSet DOES_NOTHING =
            SignalSet.of(Signal.SIGCHLD, Signal.SIGCONT, Signal.SIGURG, Signal.SIGWINCH);

    private final EventLoop loop;
    private final SignalSink sink;
    private final Map<Signal, Installed> installed = new HashMap<>();

    JvmCapture(EventLoop loop, SignalSink sink) {
        this.loop = loop;
        this.sink = sink;
    }

    // r[impl signal.ignored]
    @Override
    public SignalSet attach(SignalSet signals, boolean evenIgnored) {
        SignalSet ignored = SignalSet.empty();
        SignalSet begun = SignalSet.empty();
        if (LibC.availability().isAvailable()) {
            Sys.get().signals().ignoredAtStart(); // afterwards it is too late to look
        }
        try {
            for (Signal signal : signals) {
                Installed ours = new Installed(signal);
                Object handler = ours.handler;
                Object old = SunMiscSignal.handle(signal, handler);
                if (old.equals(SunMiscSignal.IGNORE) && !(evenIgnored && isInstalled(signal, handler))) {
                    SunMiscSignal.handle(signal, old);
                    ignored = ignored.plus(signal);
                } else {
                    ours.before = old;
                    installed.put(signal, ours);
                    begun = begun.plus(signal);
                }
            }
            if (evenIgnored && !ignored.isEmpty()) {
                throw new UnsupportedOperationException(ignored
                        + " was ignored when the process began, and the VM leaves it so; only the forwarder can change "
                        + "that (-Dcarillon.signals=forwarder)");
            }
            return ignored;
        } catch (UnsupportedOperationException failure) {
            detach(begun);
            throw failure;
        }
    }

    // r[impl signal.takeover]
    @Override
    public @Nullable Handover handOver(Signal signal) {
        Installed ours = installed.get(signal);
        Object old = ours == null ? null : ours.before;
        return old == null ? null : new Handover(old, () -> installed.remove(signal));
    }

    @Override
    public void takeOver(Signal signal, Handover handover) {
        Installed ours = new Installed(signal);
        ours.before = handover.saved();
        installed.put(signal, ours);
        SunMiscSignal.handle(signal, ours.handler);
    }

    /** On the loop, which may have come late to it. */
    private void arrived(Signal signal) {
        if (installed.containsKey(signal)) {
            sink.arrived(SignalInfo.of(signal), loop.nanoTime(), loop);
        } else {
            sink.arrivedLate(signal);
        }
    }

    /** Of TERM, INT and HUP the VM takes note of a handler, but leaves them ignored. */
    private static boolean isInstalled(Signal signal, Object handler) {
        return SunMiscSignal.handle(signal, handler).equals(handler);
    }

    /**
     * A handler of ours. Code that installed its own after it may call it at any time, also when it is detached; so each
     * attach has one of its own, which knows what was before it.
     */
    private final class Installed {
        private final Signal signal;
        private final Object handler;
        private volatile boolean isDetached;
        private volatile @Nullable Object before;

        Installed(Signal signal) {
            this.signal = signal;
            handler = SunMiscSignal.newHandler(this::onSignal);
        }

        private void onSignal() {
            if (isDetached) {
                passOn();
                return;
            }
            try {
                loop.execute(() -> arrived(signal));
            } catch (RejectedExecutionException loopEnds) {
                // As if it had been detached already.
                passOn();
            }
        }

        /** To what the signal did before us. */
        // r[impl signal.passed-on]
        private void passOn() {
            Object old = before;
            if (old == null || old.equals(SunMiscSignal.IGNORE)) {
                return;
            }
            if (!old.equals(SunMiscSignal.DEFAULT)) {
                SunMiscSignal.call(old, signal);
            } else if (!DOES_NOTHING.contains(signal)) {
                SunMiscSignal.handle(signal, old);
                raise(signal);
            }
        }
    }

    @Override
    public void detach(SignalSet signals) {
        for (Signal signal : signals) {
            Installed ours = installed.remove(signal);
            Object old = ours == null ? null : ours.before;
            if (ours != null && old != null) {
                Object replaced = SunMiscSignal.handle(signal, old);
                if (!replaced.equals(ours.handler)) {
                    SunMiscSignal.handle(signal, replaced);
                }
                ours.isDetached = true;
            }
        }
    }

    @Override
    public void close() {}

    @Override
    public void raise(Signal signal) {
        if (LibC.availability().isAvailable()) {
            Sys sys = Sys.get();
            sys.signals().send(sys.processes().pid(), signal.number());
        } else {
            // It refuses a signal for which no handler of Java is there.
            SunMiscSignal.raise(signal);
        }
    }

    /** The VM has one handler for all who use its own, and does not tell whom it calls. */
    @Override
    public SignalSet displaced() {
        return SignalSet.empty();
    }

    @Override
    public long refused() {
        return 0;
    }

    /** What of sun.misc.Signal is used. */
    private static final class SunMiscSignal {
        static final Object IGNORE;
        static final Object DEFAULT;
        private static final Class<?> HANDLER;
        private static final Class<?> SIGNAL;
        private static final Method HANDLE;
        private static final Method RAISE;
        private static final Method CALL;

        static {
            try {
                HANDLER = Class.forName("sun.misc.SignalHandler");
                SIGNAL = Class.forName("sun.misc.Signal");
                HANDLE = SIGNAL.getMethod("handle", SIGNAL, HANDLER);
                RAISE = SIGNAL.getMethod("raise", SIGNAL);
                CALL = HANDLER.getMethod("handle", SIGNAL);
                DEFAULT = Objects.requireNonNull(HANDLER.getField("SIG_DFL").get(null));
                IGNORE = Objects.requireNonNull(HANDLER.getField("SIG_IGN").get(null));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        static Object newHandler(Runnable action) {
            InvocationHandler calls = (self, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    action.run();
                    yield null;
                }
                case "equals" -> arguments != null && self == arguments[0];
                case "hashCode" -> System.identityHashCode(self);
                default -> "SignalService's handler";
            };
            return Proxy.newProxyInstance(JvmCapture.class.getClassLoader(), new Class<?>[] {HANDLER}, calls);
        }

        static Object handle(Signal signal, Object handler) {
            if (signal.number() == VmSignals.suspending()) {
                throw refused(signal, null);
            }
            return Objects.requireNonNull(invoke(HANDLE, signal, named(signal), handler));
        }

        static void raise(Signal signal) {
            invoke(RAISE, signal, named(signal));
        }

        static void call(Object handler, Signal signal) {
            try {
                CALL.invoke(handler, named(signal));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("the handler of " + signal + " before ours failed", e);
            }
        }

        private static Object named(Signal signal) {
            try {
                return SIGNAL.getConstructor(String.class)
                        .newInstance(signal.name().substring("SIG".length()));
            } catch (InvocationTargetException e) {
                throw refused(signal, e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("sun.misc.Signal has changed", e);
            }
        }

        private static @Nullable Object invoke(Method method, Signal signal, @Nullable Object... arguments) {
            try {
                return method.invoke(null, arguments);
            } catch (InvocationTargetException e) {
                throw refused(signal, e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException("sun.misc.Signal has changed", e);
            }
        }

        private static UnsupportedOperationException refused(Signal signal, @Nullable Throwable cause) {
            return new UnsupportedOperationException(
                    "the VM does not hand out " + signal
                            + "; the forwarder can attach it, where it works (-Dcarillon.signals=forwarder says why"
                            + " not), or leave it out",
                    cause);
        }
    }
}
