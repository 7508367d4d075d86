package dev.carillon.sys;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Addresses and views through java.lang.foreign; bound when first needed, since many processes need neither. */
final class FfmMemory {
    private static final MethodHandle ADDRESS_OF;
    private static final MethodHandle VIEW;

    static {
        try {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            MethodHandles.Lookup lookup = FfmLinker.LOOKUP;
            MethodHandle ofBuffer =
                    lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, Buffer.class));
            MethodHandle address = lookup.findVirtual(segment, "address", MethodType.methodType(long.class));
            ADDRESS_OF = MethodHandles.filterReturnValue(ofBuffer, address)
                    .asType(MethodType.methodType(long.class, ByteBuffer.class));
            MethodHandle ofAddress =
                    lookup.findStatic(segment, "ofAddress", MethodType.methodType(segment, long.class));
            MethodHandle reinterpret =
                    lookup.findVirtual(segment, "reinterpret", MethodType.methodType(segment, long.class));
            MethodHandle asByteBuffer =
                    lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
            MethodHandle sized = MethodHandles.filterArguments(reinterpret, 0, ofAddress);
            VIEW = MethodHandles.filterReturnValue(sized, asByteBuffer);
        } catch (ReflectiveOperationException e) {
            throw FfmLinker.noForeignMemory(e);
        }
    }

    private FfmMemory() {}

    static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("direct=false: only direct buffers have an address");
        }
        try {
            // A segment begins at the buffer's position, an address at index 0.
            return (long) ADDRESS_OF.invokeExact(direct.duplicate().clear());
        } catch (Throwable t) {
            throw FfmLinker.unexpected(t);
        }
    }

    static ByteBuffer view(long address, int length) {
        try {
            return (ByteBuffer) VIEW.invokeExact(address, (long) length);
        } catch (Throwable t) {
            throw FfmLinker.unexpected(t);
        }
    }
}
