package dev.carillon.sys;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Whose memory a buffer is, as java.lang.foreign sees it; bound when first needed, on JDK 22 and later. */
final class FfmScopes {
    private static final MethodHandle SCOPE_OF;

    /** Memory of such a scope is there as long as somebody reaches its buffer. */
    private static final Class<?> LASTING;

    private static final Class<?> COLLECTED;

    static {
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Class<?> scope = Class.forName("java.lang.foreign.MemorySegment$Scope");
            Class<?> arena = Class.forName("java.lang.foreign.Arena");
            MethodHandles.Lookup lookup = FfmLinker.LOOKUP;
            MethodHandle ofBuffer =
                    lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, Buffer.class));
            MethodHandle scopeOf = lookup.findVirtual(segment, "scope", MethodType.methodType(scope));
            SCOPE_OF = MethodHandles.filterReturnValue(ofBuffer, scopeOf)
                    .asType(MethodType.methodType(Object.class, ByteBuffer.class));
            LASTING = scopeOf(arena, "global");
            COLLECTED = scopeOf(arena, "ofAuto");
        } catch (ReflectiveOperationException e) {
            throw FfmLinker.noForeignMemory(e);
        }
    }

    private FfmScopes() {}

    private static Class<?> scopeOf(Class<?> arena, String kind) throws ReflectiveOperationException {
        Object made = arena.getMethod(kind).invoke(null);
        return arena.getMethod("scope").invoke(made).getClass();
    }

    static boolean mayEnd(ByteBuffer buffer) {
        try {
            Object scope = (Object) SCOPE_OF.invokeExact(buffer);
            return !LASTING.isInstance(scope) && !COLLECTED.isInstance(scope);
        } catch (Throwable t) {
            throw FfmLinker.unexpected(t);
        }
    }
}
