package dev.carillon.benchmarks.garbage;

import static dev.carillon.benchmarks.worker.Calls.check;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.sys.LibC;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One call each, for JMH: a system call that succeeds, one that fails, an access to shared bytes. */
@State(Scope.Thread)
public class CallsAndBytes {
    private static final int SIZE = 64;
    private static final int EFD_NONBLOCK = 0x800;

    private final LibC libc = LibC.get();
    private final ByteBuffer counter =
            ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, 1);
    private final long address = libc.addressOf(counter);
    private final int fd = check("eventfd", libc.eventfd(0, EFD_NONBLOCK));
    private final MemoryRegion region = MemoryRegion.anonymous(SIZE);
    private final OrderedBytes bytes = region.bytes();

    /** Gives back what the calls needed. */
    @TearDown
    public void close() {
        check("close", libc.close(fd));
        region.close();
    }

    /** Writes an event counter and reads it back. */
    @Benchmark
    public long eventfd() {
        return check("write", libc.write(fd, address, Long.BYTES)) + check("read", libc.read(fd, address, Long.BYTES));
    }

    /** Does the same, and asks each time where the buffer is. */
    @Benchmark
    public long eventfdOfBuffer() {
        long now = libc.addressOf(counter);
        return check("write", libc.write(fd, now, Long.BYTES)) + check("read", libc.read(fd, now, Long.BYTES));
    }

    /** Reads where there is nothing to read, which is an expected outcome. */
    @Benchmark
    public long nothingToRead() {
        return libc.read(fd, address, Long.BYTES);
    }

    /** Reads a long, adds to it and writes it back. */
    @Benchmark
    public long orderedBytes() {
        bytes.putLongRelease(0, bytes.getLongAcquire(0) + 1);
        return bytes.getAndAddLong(Long.BYTES, 1);
    }
}
