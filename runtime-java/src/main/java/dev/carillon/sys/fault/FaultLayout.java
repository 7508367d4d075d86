package dev.carillon.sys.fault;

import dev.carillon.sys.layout.Constants;

/**
 * What the guard's machine code knows by name: its data page, the table behind that, and what a handler gets. Offsets of the
 * table are counted from the beginning of the data, too.
 */
final class FaultLayout {
    /** Of memory on x86-64, and of the code. */
    static final int PAGE = 0x1000;

    /** The shift that makes an address the number of its page. */
    static final int PAGE_SHIFT = 12;

    /** In the data page: the handler before ours, as long. */
    static final int PREVIOUS = 0;

    /** Behind the data page: how many bytes of the table are looked at, as long. */
    static final int END = PAGE;

    /** Where the table begins: {@link #ROOM} entries of {@link #ENTRY} bytes. */
    static final int RANGES = PAGE + 16;

    /** Of one entry: the range as long, and {@link #LOST}. */
    static final int ENTRY = 16;

    /** In an entry: not 0 once a page of zeros lies in the range, as long. */
    static final int LOST = 8;

    /** How many pages the table has. */
    static final int TABLE_PAGES = 256;

    /** How many ranges there may be; the kernel lets a process have 65,530 mappings. */
    static final int ROOM = TABLE_PAGES * PAGE / ENTRY - 1;

    /**
     * A range is one long, so that it is there as a whole or not at all: so many bits for the number of its pages, and the
     * number of its first page above. 0 is no range, since it has no page.
     */
    static final int COUNT_BITS = 20;

    static final int COUNT_MASK = (1 << COUNT_BITS) - 1;

    /** In a siginfo_t: what happened, as int, and where. */
    static final int SI_CODE = 8;

    static final int SI_ADDR = 16;

    /** A page that is mapped and cannot be had. */
    static final int BUS_ADRERR = 2;

    /** In the ucontext_t that a handler gets: the instruction that was interrupted. */
    static final int UC_RIP = 168;

    /** The prefix of an atomic instruction. */
    static final int LOCK = 0xF0;

    /** Exchange with memory, which is atomic without the prefix. */
    static final int XCHG = 0x87;

    /** The high four bits of a prefix for wide registers. */
    static final int REX = 0x40;

    /** What is mmap(2) and its arguments for a page of zeros. */
    static final int MMAP = 9;

    static final int ACCESS = Constants.PROT_READ | Constants.PROT_WRITE;
    static final int FLAGS =
            Constants.MAP_FIXED | Constants.MAP_PRIVATE | Constants.MAP_ANONYMOUS | Constants.MAP_NORESERVE;

    private FaultLayout() {}
}
