package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.MADV_WIPEONFORK;

import dev.carillon.Signal;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.code.CodeListing;
import dev.carillon.sys.code.CodePages;
import dev.carillon.sys.layout.Architecture;

/**
 * The memory of the forwarder: a page of machine code, a page of data behind it, and a page of counters. The kernel clears
 * the counters in a forked child, which tells the code where it is.
 *
 * <p><b>Threading:</b> any thread; changes are made under a lock.
 */
// r[impl signal.pages]
final class ForwarderPages {
    private final CodePages pages;

    ForwarderPages(Sys sys) {
        CodeListing code = Architecture.isX86() ? ForwarderCode.LISTING : ForwarderCodeOnArm.LISTING;
        pages = new CodePages(sys, code, ForwarderLayout.PAGE, 1);
        pages.putInt(ForwarderLayout.OURS, 1);
        // A kernel that does not know it leaves the number of the process to tell a child.
        sys.memory().advise(pages.addressOfData(1), ForwarderLayout.PAGE, MADV_WIPEONFORK);
    }

    /** Before anybody has learnt of them. */
    void free() {
        pages.free();
    }

    long addressOf(String label) {
        return pages.addressOf(label);
    }

    /** Makes changes, during which alone the data can be written. */
    void change(Runnable changes) {
        pages.change(changes);
    }

    void putInt(int offset, int value) {
        pages.putInt(offset, value);
    }

    void putLong(int offset, long value) {
        pages.putLong(offset, value);
    }

    /** In one of the tables. */
    void putLong(int table, Signal signal, long value) {
        putLong(table + signal.number() * Long.BYTES, value);
    }

    long getLong(int offset) {
        return pages.getLong(offset);
    }

    long getLong(int table, Signal signal) {
        return getLong(table + signal.number() * Long.BYTES);
    }
}
