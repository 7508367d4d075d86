package dev.carillon.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Whose memory a buffer is, as java.lang.foreign sees it; loaded on JDK 22 and later only. */
final class FfmScopes {
    /** Memory of such a scope stays as long as its buffer is reachable. */
    private static final Class<?> LASTING = Arena.global().scope().getClass();

    private static final Class<?> COLLECTED = Arena.ofAuto().scope().getClass();

    private FfmScopes() {}

    static boolean mayEnd(ByteBuffer buffer) {
        MemorySegment.Scope scope = MemorySegment.ofBuffer(buffer).scope();
        return !LASTING.isInstance(scope) && !COLLECTED.isInstance(scope);
    }
}
