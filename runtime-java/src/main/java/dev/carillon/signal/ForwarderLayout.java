package dev.carillon.signal;

/** The forwarder's data page, which lies behind its code; the machine code goes by the same names. */
final class ForwarderLayout {
    /** Our process, as int: a forked child sees another one. */
    static final int TGID = 0x00;

    /** The signal that carries records to the loop, as int. */
    static final int CARRIER = 0x04;

    /** Marks our records, as int. */
    static final int COOKIE = 0x08;

    /** The signal by which the VM suspends threads, as int. */
    static final int VM_SIGNAL = 0x0c;

    /** The eventfd that is written when a signal could not be forwarded, as int. */
    static final int BELL = 0x10;

    /** The value of a signal that is queued by us for the previous handler, as long. */
    static final int PASS = 0x18;

    /** What is written to the eventfd, as long. */
    static final int ONE = 0x20;

    /** The kernel's struct sigaction for SIG_DFL: 32 zero bytes. */
    static final int DEFAULT = 0x40;

    /** 65 ints: the thread that each signal is forwarded to; 0: none. */
    static final int LOOPS = 0x100;

    /** 65 longs: the handler before ours; 0: SIG_DFL, 1: SIG_IGN. */
    static final int PREVIOUS = 0x300;

    /** 65 longs: how often the kernel refused to forward the signal. */
    static final int REFUSED = 0x600;

    /** Of the code as of the data. */
    static final int PAGE = 0x1000;

    private ForwarderLayout() {}
}
