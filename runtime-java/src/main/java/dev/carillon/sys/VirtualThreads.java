package dev.carillon.sys;

import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Predicate;

/**
 * Whether a thread is virtual, also for classes of JDK 17, which has none.
 *
 * <p>A virtual thread that waits in a system call keeps its carrier, of which there are as many as processors: two such
 * waits on two processors stop all other virtual threads. So a wait that may last parks a virtual thread instead.
 */
public final class VirtualThreads {
    private static final Predicate<Thread> IS_VIRTUAL = isVirtual();

    private VirtualThreads() {}

    /** Whether the calling thread is one. */
    public static boolean isCurrent() {
        return IS_VIRTUAL.test(Thread.currentThread());
    }

    @SuppressWarnings("unchecked")
    private static Predicate<Thread> isVirtual() {
        try {
            return MethodHandleProxies.asInterfaceInstance(
                    Predicate.class,
                    MethodHandles.publicLookup()
                            .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class)));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return thread -> false; // a JDK without virtual threads
        }
    }
}
