package java.lang.foreign;

import java.nio.Buffer;
import java.nio.ByteBuffer;

public interface MemorySegment {
    static MemorySegment ofBuffer(Buffer buffer) {
        throw new UnsupportedOperationException();
    }

    static MemorySegment ofAddress(long address) {
        throw new UnsupportedOperationException();
    }

    MemorySegment reinterpret(long newSize);

    ByteBuffer asByteBuffer();

    long address();

    Scope scope();

    interface Scope {}
}
