package dev.carillon.sys.call;

import dev.carillon.sys.LibC;
import dev.carillon.sys.StackRoom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The checked calls of one LibC, by family.
 *
 * <p>Numbers are validated before the kernel sees them; a call that may be retried after an interruption is; what a
 * caller expects comes back as a value; everything else is a {@link dev.carillon.SyscallException}.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Sys {
    /** Only ever set. Plain: a thread that does not see it yet takes the lock. */
    private static boolean isMade;

    /** Set before {@link Chosen} is initialized. */
    private static @Nullable Sys made;

    private final LibC libc;
    private final DescriptorCalls descriptors;
    private final FileCalls files;
    private final ClockCalls clocks;
    private final SocketCalls sockets;
    private final SignalCalls signals;
    private final ProcessCalls processes;
    private final MemoryCalls memory;
    private final FutexCalls futexes;
    private final UringCalls urings;
    private final InotifyCalls inotify;

    Sys(LibC libc) {
        this.libc = libc;
        descriptors = new DescriptorCalls(libc);
        files = new FileCalls(libc);
        clocks = new ClockCalls(libc);
        sockets = new SocketCalls(libc);
        signals = new SignalCalls(libc);
        processes = new ProcessCalls(libc);
        memory = new MemoryCalls(libc);
        futexes = new FutexCalls(libc);
        urings = new UringCalls(libc);
        inotify = new InotifyCalls(libc);
    }

    /**
     * Those of this process.
     *
     * @throws UnsupportedOperationException if system calls cannot be made here
     */
    public static Sys get() {
        if (!isMade) {
            make();
        }
        return Chosen.SYS;
    }

    // r[impl sys.first-call]
    private static synchronized void make() {
        if (!isMade) {
            LibC libc = LibC.get();
            StackRoom.ensure();
            made = new Sys(libc);
            isMade = Chosen.SYS == made;
        }
    }

    public LibC libc() {
        return libc;
    }

    public DescriptorCalls descriptors() {
        return descriptors;
    }

    public FileCalls files() {
        return files;
    }

    public ClockCalls clocks() {
        return clocks;
    }

    public SocketCalls sockets() {
        return sockets;
    }

    public SignalCalls signals() {
        return signals;
    }

    public ProcessCalls processes() {
        return processes;
    }

    public MemoryCalls memory() {
        return memory;
    }

    public FutexCalls futexes() {
        return futexes;
    }

    public UringCalls urings() {
        return urings;
    }

    public InotifyCalls inotify() {
        return inotify;
    }

    /** A new epoll descriptor, with room for so many events at a time. */
    public Epoll epoll(int capacity) {
        return new Epoll(libc, capacity);
    }

    /** Places for so many descriptors to be polled. */
    public PollSet pollSet(int size) {
        return new PollSet(libc, size);
    }

    /** A message that can carry so many descriptors. */
    public DescriptorMessage descriptorMessage(int room) {
        return new DescriptorMessage(libc, sockets, room);
    }

    /** Room for unwanted descriptors that come over a Unix socket. */
    public UnwantedDescriptors unwantedDescriptors() {
        return new UnwantedDescriptors(libc);
    }

    /** A constant for the compiler, which only takes what was made: the VM initializes no class twice. */
    private static final class Chosen {
        static final Sys SYS = Objects.requireNonNull(made);
    }
}
