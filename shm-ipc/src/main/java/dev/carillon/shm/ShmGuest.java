package dev.carillon.shm;

import dev.carillon.SyscallException;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.Seal;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.LoopThreads;
import dev.carillon.sys.call.Sys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The side that attaches to a link which a host has made.
 *
 * <p><b>Threading:</b> any thread; each link can be attached to once.
 */
public final class ShmGuest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ShmGuest() {}

    /**
     * Attaches with the descriptors that the host's {@link ShmHost#spawn} has handed over.
     *
     * @throws IllegalStateException if this process was not started as a guest, or has attached already; also where it has only
     *     inherited the variable, and not the descriptors. Nothing is closed then
     * @throws SegmentFormatException if the memory is not that of a link
     */
    public static ShmLink attachFromEnvironment() {
        String value = System.getenv(PeerTicket.VARIABLE);
        if (value == null) {
            throw new IllegalStateException("the environment has no " + PeerTicket.VARIABLE
                    + ": this process was not started by ShmHost.spawn; start it by its host");
        }
        return attach(value, PeerTicket.VARIABLE + "=" + value);
    }

    /**
     * As {@link #attachFromEnvironment}, with what {@link PeerTicket#toArguments} has put among the arguments.
     *
     * @throws IllegalArgumentException if no argument says so
     */
    public static ShmLink attach(String[] arguments) {
        for (String argument : arguments) {
            if (argument.startsWith(PeerTicket.OPTION)) {
                return attach(argument.substring(PeerTicket.OPTION.length()), argument);
            }
        }
        throw new IllegalArgumentException(
                "no argument begins with " + PeerTicket.OPTION + ": hand over what PeerTicket.toArguments() gives");
    }

    private static ShmLink attach(String numbers, String where) {
        int comma = numbers.indexOf(',');
        try {
            int memory = Integer.parseInt(numbers.substring(0, Math.max(comma, 0)));
            int bell = Integer.parseInt(numbers.substring(comma + 1));
            return attachInherited(memory, bell, where);
        } catch (NumberFormatException notNumbers) {
            throw new IllegalArgumentException(
                    where + ": two descriptors are expected, as in 3,4; hand over what the ticket gives", notNumbers);
        }
    }

    /** Who has inherited the numbers and not the descriptors may have something of its own there. */
    private static ShmLink attachInherited(int memory, int bell, String where) {
        InheritedNumbers.take(memory, bell, where);
        boolean attached = false;
        try {
            ShmLink link = attach(memory, bell);
            attached = true;
            return link;
        } catch (SegmentFormatException withItsReason) {
            throw withItsReason;
        } catch (IllegalArgumentException nothingOfALink) {
            throw notHandedOver(where, nothingOfALink);
        } catch (SyscallException failure) {
            throw failure.errno() == Errno.EBADF ? notHandedOver(where, failure) : failure;
        } finally {
            if (!attached) {
                InheritedNumbers.giveBack(memory, bell);
            }
        }
    }

    private static IllegalStateException notHandedOver(String where, RuntimeException why) {
        return new IllegalStateException(
                where + ": these descriptors of this process are not those of a link: " + why.getMessage()
                        + "; a process inherits the variable from its parent also where no host has started it: start guests by"
                        + " ShmHost.spawn, and others without it",
                why);
    }

    /** As {@link #connect(Path, Duration)}, within 10 seconds. */
    public static ShmLink connect(Path directory) throws IOException, InterruptedException {
        return connect(directory, PATIENCE);
    }

    /**
     * Attaches to a host in another process, of which this one is no child.
     *
     * <p>It blocks, and uses the shared loop.
     *
     * @param directory the one of {@link ShmHost#create(Path, HostConfig)}
     * @throws java.net.ConnectException if no host is there, it refuses this guest, hangs up, or sends descriptors that are not
     *     those of a link; the message says why
     * @throws java.net.SocketTimeoutException if it does not answer in time
     * @throws dev.carillon.SyscallException with EACCES if the directory is another user's; with EMFILE if this process has no
     *     descriptors left
     * @throws IllegalStateException if the host belongs to another user, who is not root; on a loop thread, in checked mode
     * @throws SegmentFormatException if the memory is not that of a link
     */
    // r[impl shm.attach.socket]
    public static ShmLink connect(Path directory, Duration atMost) throws IOException, InterruptedException {
        LoopThreads.ensureMayBlock("ShmGuest.connect");
        long deadline = Deadlines.after(System.nanoTime(), atMost);
        try (HostConnection host = HostConnection.to(directory, atMost, deadline)) {
            List<PassedDescriptor> received = host.receive();
            try {
                int memory = received.get(0).detach();
                try {
                    return attach(memory, () -> adopt(received.get(1)), host::ensureIsThatLink);
                } finally {
                    // The region has a copy of its own.
                    LibC.get().close(memory);
                }
            } catch (SegmentFormatException withItsReason) {
                throw withItsReason;
            } catch (IllegalArgumentException | SyscallException why) {
                throw host.useless(why);
            } finally {
                // What was not taken.
                received.forEach(PassedDescriptor::close);
            }
        }
    }

    private static Doorbell adopt(PassedDescriptor received) {
        int number = received.detach();
        boolean adopted = false;
        try {
            Doorbell bell = Doorbell.adopt(number);
            adopted = true;
            return bell;
        } finally {
            if (!adopted) {
                LibC.get().close(number);
            }
        }
    }

    /**
     * Attaches with two descriptors, which are the link's then. Whatever fails closes neither: they may be anybody's.
     *
     * @throws IllegalStateException if the link has a guest already, or the host has closed it
     * @throws SegmentFormatException if the memory is not that of a link
     * @throws IllegalArgumentException if one of the descriptors is something else
     */
    // r[impl shm.attach.once]
    static ShmLink attach(int memory, int bell) {
        ShmLink link = attach(memory, () -> copyOf(bell), opened -> {});
        // The link has copies of its own.
        LibC.get().close(memory);
        LibC.get().close(bell);
        return link;
    }

    private static Doorbell copyOf(int bell) {
        Fd copy = Sys.get().descriptors().duplicateFrom(bell, 0);
        boolean adopted = false;
        try {
            Doorbell own = Doorbell.adopt(copy.acquire());
            adopted = true;
            return own;
        } finally {
            if (!adopted) {
                copy.release();
                copy.close();
            }
        }
    }

    /** The bell is asked for when the memory has turned out to be that of a link. */
    private static <E extends Exception> ShmLink attach(
            int memoryNumber, Supplier<Doorbell> bells, MemoryCheck<E> check) throws E {
        @Nullable MemoryRegion region = null;
        @Nullable Doorbell bell = null;
        boolean attached = false;
        try {
            region = MemoryRegion.ofDescriptor(memoryNumber, Access.READ_WRITE);
            ensureSealed(region);
            LinkMemory memory = LinkMemory.open(region);
            check.ensureExpected(memory);
            Doorbell own = bells.get();
            bell = own;
            MemoryRegion mapped = region;
            ShmLink link = SegmentFormatException.rethrown(() -> mapped.guarded(() -> attached(memory, own)));
            attached = true;
            return link;
        } finally {
            if (!attached) {
                closeAll(region, bell);
            }
        }
    }

    private static ShmLink attached(LinkMemory memory, Doorbell bell) {
        LinkStatus status = memory.status(LinkMemory.Side.GUEST);
        ShmLink link = new ShmLink(memory, LinkMemory.Side.GUEST, bell);
        status.attach((int) ProcessHandle.current().pid());
        // From now on the host can watch this process.
        bell.ring();
        return link;
    }

    private static void closeAll(@Nullable MemoryRegion region, @Nullable Doorbell bell) {
        try {
            if (region != null) {
                region.close();
            }
        } finally {
            if (bell != null) {
                bell.close();
            }
        }
    }

    /** Without its seals the host could make a memfd shorter under us. A file has a name, and none; its pages are watched. */
    private static void ensureSealed(MemoryRegion region) {
        Set<Seal> seals = region.seals();
        boolean named = Sys.get().files().status(region.fd()).links() > 0;
        if (!named && !seals.containsAll(Set.of(Seal.values()))) {
            throw new IllegalArgumentException(
                    region + " has the seals " + seals
                            + ": the memory of a link is sealed against every change of its size; attach to what a host has made");
        }
    }

    /** Looks at memory before this process attaches to it. */
    @FunctionalInterface
    private interface MemoryCheck<E extends Exception> {
        void ensureExpected(LinkMemory memory) throws E;
    }
}
