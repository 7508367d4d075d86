package dev.carillon.signal.forwarder;

/**
 * The memory that the forwarder's machine code and Java share, by the names that the code has too: the data page, which
 * lies behind the code, the page of counters behind that, the routes ({@link SignalPipe}), and what a handler gets.
 *
 * <p>Offsets of the counters are counted from the beginning of the data, too.
 */
final class ForwarderLayout {
    /** Our process, as int: a forked child sees another one. */
    static final int TGID = 0x00;

    /** The signal that carries records to the loop when its pipe is full, as int. */
    static final int CARRIER = 0x04;

    /** The signal by which the VM suspends threads, as int. */
    static final int VM_SIGNAL = 0x08;

    /** The eventfd that is written when a signal could not be forwarded, as int. */
    static final int BELL = 0x0c;

    /** Marks what is queued by the carrier, as long. */
    static final int COOKIE = 0x10;

    /** The value of a signal that is queued by us for the previous handler, as long. */
    static final int PASS = 0x18;

    /** What is written to the eventfd, as long. */
    static final int ONE = 0x20;

    /** Whether a child of ours may have our own number, in a pid namespace of its own, as int. */
    static final int NESTED = 0x28;

    /** The kernel's struct sigaction for SIG_DFL: 32 zero bytes. */
    static final int DEFAULT = 0x40;

    /** 65 longs: the address of each signal's route; 0: no service wants it; or {@link #DROPPED}. */
    static final int ROUTES = 0x100;

    /** In place of a route: what comes still was sent to us before we left, and is dropped. */
    static final int DROPPED = 1;

    /** 65 longs: the handler before ours; 0: SIG_DFL, 1: SIG_IGN. */
    static final int PREVIOUS = 0x400;

    /** Of the code, of the data and of the counters: as large as the largest page of memory of the machines it is for. */
    static final int PAGE = 0x10000;

    /** 65 longs: how often the kernel refused to forward the signal. The first of the counters. */
    static final int REFUSED = PAGE;

    /** 1 in our process, as int; the kernel clears the page of counters in a forked child. */
    static final int OURS = PAGE + 0x400;

    /** In a route: the end of the pipe that is written, as int. */
    static final int PIPE = 0;

    /** In a route: the loop's thread, as int; 0: the pipe is not lent. */
    static final int TID = 4;

    /** In a route: 1 while the carrier is blocked in the loop's thread, since the pipe is full, as int. */
    static final int FULL = 8;

    /**
     * In the route of a real-time signal: where a thread writes that blocks the signal, since its pipe is full; -1 in the
     * route of standard signals. As int.
     */
    static final int SPARE = 12;

    /** How much of a siginfo_t is forwarded: signal, errno, code, sender, value. */
    static final int RECORD = 32;

    /** In a record: the thread that blocks the signal from now on, as int; 0: none. */
    static final int HOLDER = 12;

    /** In a siginfo of the carrier: the cookie. The kernel hands on 48 bytes of what is queued. */
    static final int MARK = 32;

    /** In a siginfo of the carrier, in the place of a signal: unblock the signals of the value in this thread. */
    static final int RELEASE = 65;

    /**
     * SIGSTKFLT, which no kernel sends: a thread that holds a real-time signal back blocks it, too. So do the threads that
     * inherit that, and no other but those that block everything.
     */
    static final int HELD = 16;

    /** Of a siginfo_t. */
    static final int SIGINFO = 128;

    /** What of a siginfo_t is not forwarded, in words: zeros, where it is queued. */
    static final int REST = (SIGINFO - RECORD) / Long.BYTES;

    /** Where the interrupted thread's mask is in the ucontext_t that a handler gets; x86-64. */
    static final int UC_SIGMASK = 296;

    /** The same on aarch64. */
    static final int UC_SIGMASK_ON_ARM = 40;

    /** What the code for aarch64 keeps on the stack for its caller: the link, the frame, and five registers. */
    static final int FRAME = 64;

    private ForwarderLayout() {}
}
