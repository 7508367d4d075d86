package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
    private final SignalDesk desk;
    private final Map<Signal, Object> before = new ConcurrentHashMap<>();
    private final Map<Signal, Object> ours = new ConcurrentHashMap<>();

    JvmCapture(SignalDesk desk) {
        this.desk = desk;
    }

    @Override
    public Capture kind() {
        return Capture.JVM;
    }

    // r[impl signal.ignored]
    @Override
    public SignalSet attach(SignalSet signals, boolean evenIgnored) {
        SignalSet ignored = SignalSet.empty();
        SignalSet begun = SignalSet.empty();
        try {
            for (Signal signal : signals) {
                Object handler = handler(signal);
                Object old = VmSignals.handle(signal, handler);
                if (old.equals(VmSignals.IGNORE) && !(evenIgnored && isInstalled(signal, handler))) {
                    VmSignals.handle(signal, old);
                    ignored = ignored.plus(signal);
                } else {
                    before.put(signal, old);
                    ours.put(signal, handler);
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

    /** Of TERM, INT and HUP the VM takes note of a handler, but leaves them ignored. */
    private static boolean isInstalled(Signal signal, Object handler) {
        return VmSignals.handle(signal, handler).equals(handler);
    }

    private Object handler(Signal signal) {
        return VmSignals.newHandler(() -> {
            try {
                desk.loop().execute(() -> desk.arrivedFromVm(signal));
            } catch (RejectedExecutionException loopEnds) {
                // As if it had been detached already.
                Object old = before.get(signal);
                if (old != null) {
                    VmSignals.call(old, signal);
                }
            }
        });
    }

    @Override
    public void detach(SignalSet signals) {
        for (Signal signal : signals) {
            Object old = before.remove(signal);
            Object own = ours.remove(signal);
            if (old != null) {
                Object replaced = VmSignals.handle(signal, old);
                if (!replaced.equals(own)) {
                    VmSignals.handle(signal, replaced);
                }
            }
        }
    }

    @Override
    public void close() {}

    @Override
    public void raise(Signal signal) {
        VmSignals.raise(signal);
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
    private static final class VmSignals {
        static final Object IGNORE;
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
            if (signal.number() == Forwarder.vmSignal(System.getenv("_JAVA_SR_SIGNUM"))) {
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
