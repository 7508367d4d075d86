package dev.carillon.io;

import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** java.lang.foreign.Arena by reflection: these tests are compiled for Java 17. */
final class Arenas implements AutoCloseable {
    private final Object arena;

    private Arenas(String kind) {
        arena = call(type("Arena"), kind, null);
    }

    static void assumeThereAreSome() {
        Assumptions.assumeTrue(
                Runtime.version().feature() >= 22, "java.lang.foreign.Arena needs JDK 22 or later; run with -Djvm");
    }

    static Arenas shared() {
        return new Arenas("ofShared");
    }

    static Arenas confined() {
        return new Arenas("ofConfined");
    }

    static Arenas automatic() {
        return new Arenas("ofAuto");
    }

    ByteBuffer allocate(long size) {
        Object segment = call(type("Arena"), "allocate", arena, size);
        return (ByteBuffer) call(type("MemorySegment"), "asByteBuffer", segment);
    }

    @Override
    public void close() {
        call(type("Arena"), "close", arena);
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName("java.lang.foreign." + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Object call(Class<?> type, String method, @Nullable Object target, Object... arguments) {
        Class<?>[] parameters = new Class<?>[arguments.length];
        Arrays.fill(parameters, long.class);
        try {
            Object result = type.getMethod(method, parameters).invoke(target, arguments);
            return result == null ? "nothing" : result;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("java.lang.foreign is another one than expected", e);
        }
    }
}
