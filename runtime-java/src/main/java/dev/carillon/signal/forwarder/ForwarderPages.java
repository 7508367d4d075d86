package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.MADV_WIPEONFORK;
import static dev.carillon.sys.layout.Constants.PROT_EXEC;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;

import dev.carillon.Signal;
import dev.carillon.sys.call.Sys;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of the forwarder: a page of machine code, a page of data behind it, and a page of counters.
 *
 * <p>The data say which code is jumped to and what is believed, so they can be written only while a {@link #change} is
 * made. The kernel clears the counters in a forked child, which tells the code where it is.
 *
 * <p><b>Threading:</b> any thread; changes are made under a lock.
 *
 * <p><b>Order:</b> volatile stores, before the handler is installed by a system call.
 */
// r[impl signal.pages]
final class ForwarderPages {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Sys sys;
    private final long code;
    private final ByteBuffer data;

    ForwarderPages(Sys sys) {
        this.sys = sys;
        code = sys.memory().mapPrivate(3L * ForwarderLayout.PAGE, PROT_READ | PROT_WRITE);
        data = sys.libc()
                .view(code + ForwarderLayout.PAGE, 2 * ForwarderLayout.PAGE)
                .order(ByteOrder.nativeOrder());
        sys.libc().view(code, ForwarderLayout.PAGE).put(ForwarderCode.bytes());
        INTS.setVolatile(data, ForwarderLayout.OURS, 1);
        // A kernel that does not know it leaves the number of the process to tell a child.
        sys.memory().advise(code + 2L * ForwarderLayout.PAGE, ForwarderLayout.PAGE, MADV_WIPEONFORK);
        sys.memory().protect(code, ForwarderLayout.PAGE, PROT_READ | PROT_EXEC);
        sys.memory().protect(code + ForwarderLayout.PAGE, ForwarderLayout.PAGE, PROT_READ);
    }

    /** Before anybody has learnt of them. */
    void free() {
        sys.memory().unmap(code, 3L * ForwarderLayout.PAGE);
    }

    long addressOf(String label) {
        return code + ForwarderCode.offsetOf(label);
    }

    /** Makes changes, during which alone the data can be written. */
    synchronized void change(Runnable changes) {
        sys.memory().protect(code + ForwarderLayout.PAGE, ForwarderLayout.PAGE, PROT_READ | PROT_WRITE);
        try {
            changes.run();
        } finally {
            sys.memory().protect(code + ForwarderLayout.PAGE, ForwarderLayout.PAGE, PROT_READ);
        }
    }

    void putInt(int offset, int value) {
        INTS.setVolatile(data, offset, value);
    }

    void putLong(int offset, long value) {
        LONGS.setVolatile(data, offset, value);
    }

    /** In one of the tables. */
    void putLong(int table, Signal signal, long value) {
        putLong(table + signal.number() * Long.BYTES, value);
    }

    long getLong(int offset) {
        return (long) LONGS.getVolatile(data, offset);
    }

    long getLong(int table, Signal signal) {
        return getLong(table + signal.number() * Long.BYTES);
    }
}
