package dev.carillon.memory;

import java.util.List;

/**
 * Every access that has an offset, so that a test can ask the same of all of them.
 *
 * @param name its name in OrderedBytes
 * @param size how many bytes it touches, which is its alignment too
 * @param writes whether it may write
 * @param call makes it
 */
record AccessTable(String name, int size, boolean writes, Call call) {
    static final List<AccessTable> ALL = List.of(
            new AccessTable("getByte", 1, false, (bytes, offset) -> bytes.getByte(offset)),
            new AccessTable("putByte", 1, true, (bytes, offset) -> bytes.putByte(offset, (byte) 1)),
            new AccessTable("getShort", 2, false, (bytes, offset) -> bytes.getShort(offset)),
            new AccessTable("putShort", 2, true, (bytes, offset) -> bytes.putShort(offset, (short) 1)),
            new AccessTable("getInt", 4, false, (bytes, offset) -> bytes.getInt(offset)),
            new AccessTable("putInt", 4, true, (bytes, offset) -> bytes.putInt(offset, 1)),
            new AccessTable("getIntOpaque", 4, false, (bytes, offset) -> bytes.getIntOpaque(offset)),
            new AccessTable("getIntAcquire", 4, false, (bytes, offset) -> bytes.getIntAcquire(offset)),
            new AccessTable("getIntVolatile", 4, false, (bytes, offset) -> bytes.getIntVolatile(offset)),
            new AccessTable("putIntOpaque", 4, true, (bytes, offset) -> bytes.putIntOpaque(offset, 1)),
            new AccessTable("putIntRelease", 4, true, (bytes, offset) -> bytes.putIntRelease(offset, 1)),
            new AccessTable("putIntVolatile", 4, true, (bytes, offset) -> bytes.putIntVolatile(offset, 1)),
            new AccessTable("compareAndSetInt", 4, true, (bytes, offset) -> bytes.compareAndSetInt(offset, 0, 1)),
            new AccessTable("getAndAddInt", 4, true, (bytes, offset) -> bytes.getAndAddInt(offset, 1)),
            new AccessTable("getAndSetInt", 4, true, (bytes, offset) -> bytes.getAndSetInt(offset, 1)),
            new AccessTable("getLong", 8, false, (bytes, offset) -> bytes.getLong(offset)),
            new AccessTable("putLong", 8, true, (bytes, offset) -> bytes.putLong(offset, 1)),
            new AccessTable("getLongOpaque", 8, false, (bytes, offset) -> bytes.getLongOpaque(offset)),
            new AccessTable("getLongAcquire", 8, false, (bytes, offset) -> bytes.getLongAcquire(offset)),
            new AccessTable("getLongVolatile", 8, false, (bytes, offset) -> bytes.getLongVolatile(offset)),
            new AccessTable("putLongOpaque", 8, true, (bytes, offset) -> bytes.putLongOpaque(offset, 1)),
            new AccessTable("putLongRelease", 8, true, (bytes, offset) -> bytes.putLongRelease(offset, 1)),
            new AccessTable("putLongVolatile", 8, true, (bytes, offset) -> bytes.putLongVolatile(offset, 1)),
            new AccessTable("compareAndSetLong", 8, true, (bytes, offset) -> bytes.compareAndSetLong(offset, 0, 1)),
            new AccessTable("getAndAddLong", 8, true, (bytes, offset) -> bytes.getAndAddLong(offset, 1)),
            new AccessTable("getAndSetLong", 8, true, (bytes, offset) -> bytes.getAndSetLong(offset, 1)));

    /** Makes the access at that offset. */
    void at(OrderedBytes bytes, int offset) {
        call.at(bytes, offset);
    }

    @Override
    public String toString() {
        return name;
    }

    /** One access. */
    @FunctionalInterface
    interface Call {
        void at(OrderedBytes bytes, int offset);
    }
}
