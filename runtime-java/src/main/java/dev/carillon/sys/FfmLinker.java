package dev.carillon.sys;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * java.lang.foreign by reflection, for the few things that are done once: finding a function and making its handle.
 *
 * <p>All functions share one shape, so the JDK generates code once; a handle takes (errno segment, seven longs).
 */
final class FfmLinker {
    /**
     * For all that is looked up in java.lang.foreign: what asks for its caller gets a hidden class for each class that
     * looked it up, which takes milliseconds.
     */
    static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private static final int ARGUMENTS = 7;
    private static final MethodType SHAPE = MethodType.methodType(long.class, Object.class)
            .appendParameterTypes(long.class, long.class, long.class, long.class, long.class, long.class, long.class);

    private FfmLinker() {}

    /**
     * The handle of a C function.
     *
     * @throws UnsatisfiedLinkError if there is no such function, or no java.lang.foreign
     */
    static MethodHandle bind(String function) {
        MethodHandle handle = bindIfThere(function);
        if (handle == null) {
            throw new UnsatisfiedLinkError("function=" + function + " is not in this process");
        }
        return handle;
    }

    static @Nullable MethodHandle bindIfThere(String function) {
        try {
            Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
            Object linker = invoke(linkerType, "nativeLinker", null);
            Object lookup = invoke(linkerType, "defaultLookup", linker);
            Class<?> lookupType = Class.forName("java.lang.foreign.SymbolLookup");
            Optional<?> symbol =
                    (Optional<?>) lookupType.getMethod("find", String.class).invoke(lookup, function);
            return symbol.isEmpty() ? null : downcall(linkerType, linker, symbol.get());
        } catch (ReflectiveOperationException e) {
            throw noForeignMemory(e);
        }
    }

    /** The segment over a direct buffer, kept alive by it. */
    static Object segmentOf(ByteBuffer direct) {
        try {
            return Class.forName("java.lang.foreign.MemorySegment")
                    .getMethod("ofBuffer", java.nio.Buffer.class)
                    .invoke(null, direct);
        } catch (ReflectiveOperationException e) {
            throw noForeignMemory(e);
        }
    }

    private static MethodHandle downcall(Class<?> linkerType, Object linker, Object address)
            throws ReflectiveOperationException {
        Class<?> layoutType = Class.forName("java.lang.foreign.MemoryLayout");
        Class<?> descriptorType = Class.forName("java.lang.foreign.FunctionDescriptor");
        Class<?> optionType = Class.forName("java.lang.foreign.Linker$Option");
        Class<?> segmentType = Class.forName("java.lang.foreign.MemorySegment");
        Object javaLong = Class.forName("java.lang.foreign.ValueLayout")
                .getField("JAVA_LONG")
                .get(null);
        Object[] parameters = (Object[]) Array.newInstance(layoutType, ARGUMENTS);
        Arrays.fill(parameters, javaLong);
        Object descriptor = descriptorType
                .getMethod("of", layoutType, parameters.getClass())
                .invoke(null, javaLong, parameters);
        Object[] options = (Object[]) Array.newInstance(optionType, 1);
        // After the call the VM may use errno for itself: it must be saved before the thread is back in Java.
        options[0] =
                optionType.getMethod("captureCallState", String[].class).invoke(null, (Object) new String[] {"errno"});
        MethodHandle handle = (MethodHandle) linkerType
                .getMethod("downcallHandle", segmentType, descriptorType, options.getClass())
                .invoke(linker, address, descriptor, options);
        return handle.asType(SHAPE);
    }

    private static Object invoke(Class<?> type, String method, @Nullable Object target)
            throws ReflectiveOperationException {
        return type.getMethod(method).invoke(target);
    }

    static UnsatisfiedLinkError noForeignMemory(ReflectiveOperationException e) {
        Throwable cause = e instanceof InvocationTargetException && e.getCause() != null ? e.getCause() : e;
        String why = e instanceof ClassNotFoundException
                ? "java.lang.foreign needs JDK 22 or later, this is JDK "
                        + Runtime.version().feature()
                : "java.lang.foreign failed: " + cause;
        UnsatisfiedLinkError error = new UnsatisfiedLinkError(why);
        error.initCause(cause);
        return error;
    }

    /** A handle of C throws nothing by itself; what comes is an error of the VM. */
    static RuntimeException unexpected(Throwable t) {
        if (t instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a native call threw", t);
    }
}
