package dev.carillon.sys;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds functions of C and makes their handles.
 *
 * <p>All functions share one shape, so the JDK generates code once; a handle takes (errno segment, seven longs).
 */
final class FfmLinker {
    private static final int ARGUMENTS = 7;

    private FfmLinker() {}

    /**
     * The handle of a C function.
     *
     * @throws UnsatisfiedLinkError if there is no such function, or this process may not call C
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
