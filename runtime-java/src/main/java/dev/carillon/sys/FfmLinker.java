package dev.carillon.sys;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds functions of C and makes their handles.
 *
 * <p>All functions share one shape, so the JDK generates code once; a handle takes (errno segment, seven longs).
 */
final class FfmLinker {
    private static final int ARGUMENTS = 7;

    private static final Map<String, MethodHandle> HANDLES = new ConcurrentHashMap<>();

    private FfmLinker() {}

    /**
     * Makes the handle of a C function, unless there is one.
     *
     * @throws UnsatisfiedLinkError if there is no such function, or this process may not call C
     */
    static void bind(String function) {
        bindIfThere(function);
        bound(function);
    }

    static void bindIfThere(String function) {
        if (!HANDLES.containsKey(function)) {
            MethodHandle handle = handle(function);
            if (handle != null) {
                HANDLES.put(function, handle);
            }
        }
    }

    /** What {@link #bind} has made. */
    static MethodHandle bound(String function) {
        MethodHandle handle = HANDLES.get(function);
        if (handle == null) {
            throw new UnsatisfiedLinkError("function=" + function + " is not in this process");
        }
        return handle;
    }

    static @Nullable MethodHandle boundIfThere(String function) {
        return HANDLES.get(function);
    }

    private static @Nullable MethodHandle handle(String function) {
        try {
            Linker linker = Linker.nativeLinker();
            MemorySegment address = linker.defaultLookup().find(function).orElse(null);
            // After the call the VM may use errno for itself: it must be saved before the thread is back in Java.
            return address == null
                    ? null
                    : linker.downcallHandle(address, shape(), Linker.Option.captureCallState("errno"));
        } catch (RuntimeException refused) {
            UnsatisfiedLinkError error = new UnsatisfiedLinkError(refused.toString());
            error.initCause(refused);
            throw error;
        }
    }

    /** A handle of C throws nothing by itself; what comes is an error of the VM. */
    static RuntimeException unexpected(Throwable t) {
        if (t instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a native call threw", t);
    }

    private static FunctionDescriptor shape() {
        MemoryLayout[] longs = new MemoryLayout[ARGUMENTS];
        Arrays.fill(longs, ValueLayout.JAVA_LONG);
        return FunctionDescriptor.of(ValueLayout.JAVA_LONG, longs);
    }
}
