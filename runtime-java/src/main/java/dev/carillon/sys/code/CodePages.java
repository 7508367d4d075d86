package dev.carillon.sys.code;

import static dev.carillon.sys.layout.Constants.PROT_EXEC;
import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;

import dev.carillon.sys.call.Sys;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A page of machine code, a page of data behind it, and pages behind that which both the code and Java write.
 *
 * <p>The data say which code is jumped to and what is believed, so they can be written only while a {@link #change} is made.
 * Offsets count from the beginning of the data, also in the pages behind them.
 *
 * <p><b>Threading:</b> any thread; changes are made under a lock.
 *
 * <p><b>Ownership:</b> stays as long as the process does, once somebody else has learnt of the addresses: a stopped thread
 * may be just inside the code. Before that, the code that makes it may {@link #free} it.
 *
 * <p><b>Order:</b> volatile stores, before a handler is installed by a system call.
 */
public final class CodePages {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Sys sys;
    private final CodeListing listing;
    private final int page;
    private final long code;
    private final long length;
    private final ByteBuffer data;

    /**
     * Maps the pages and puts the code there.
     *
     * @param page how large each of them is: a whole number of pages of memory
     * @param writable how many follow the data
     * @throws dev.carillon.SyscallException if there is no memory, or it may not be executed here
     */
    public CodePages(Sys sys, CodeListing listing, int page, int writable) {
        this.sys = sys;
        this.listing = listing;
        this.page = page;
        length = (2L + writable) * page;
        code = sys.memory().mapPrivate(length, PROT_READ | PROT_WRITE);
        boolean made = false;
        try {
            data = sys.libc().view(code + page, (int) length - page).order(ByteOrder.nativeOrder());
            sys.libc().view(code, page).put(listing.bytes());
            sys.memory().protect(code, page, PROT_READ | PROT_EXEC);
            sys.memory().protect(code + page, page, PROT_READ);
            made = true;
        } finally {
            if (!made) {
                sys.memory().unmap(code, length);
            }
        }
    }

    /** Before anybody has learnt of them. */
    public void free() {
        sys.memory().unmap(code, length);
    }

    /** Where a label of the listing is. */
    public long addressOf(String label) {
        return code + listing.offsetOf(label);
    }

    /** Where a page of data is: 0 is the first one. */
    public long addressOfData(int number) {
        return code + (1L + number) * page;
    }

    /** Makes changes, during which alone the first page of data can be written. */
    public synchronized void change(Runnable changes) {
        sys.memory().protect(code + page, page, PROT_READ | PROT_WRITE);
        try {
            changes.run();
        } finally {
            sys.memory().protect(code + page, page, PROT_READ);
        }
    }

    public void putInt(int offset, int value) {
        INTS.setVolatile(data, offset, value);
    }

    public void putLong(int offset, long value) {
        LONGS.setVolatile(data, offset, value);
    }

    public long getLong(int offset) {
        return (long) LONGS.getVolatile(data, offset);
    }
}
