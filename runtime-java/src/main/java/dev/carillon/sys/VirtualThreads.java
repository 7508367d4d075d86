package dev.carillon.sys;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.BooleanSupplier;

/**
 * Whether a thread is virtual, also for classes of JDK 17, which has none.
 *
 * <p>A virtual thread that waits in a system call keeps its carrier, of which there are as many as processors: two such
 * waits on two processors stop all other virtual threads. So a wait that may last parks a virtual thread instead.
 */
public final class VirtualThreads {
    private static final BooleanSupplier IS_CURRENT = isCurrentVirtual();

    private VirtualThreads() {}

    /** Whether the calling thread is one. */
    public static boolean isCurrent() {
        return IS_CURRENT.getAsBoolean();
    }

    private static BooleanSupplier isCurrentVirtual() {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            MethodHandle isVirtual =
                    lookup.findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
            MethodHandle current =
                    lookup.findStatic(Thread.class, "currentThread", MethodType.methodType(Thread.class));
            return MethodHandleProxies.asInterfaceInstance(
                    BooleanSupplier.class, MethodHandles.collectArguments(isVirtual, 0, current));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return () -> false; // a JDK without virtual threads
        }
    }
}
