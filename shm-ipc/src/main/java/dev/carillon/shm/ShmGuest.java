package dev.carillon.shm;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.Seal;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.sys.LibC;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The side that attaches to a link which a host has made.
 *
 * <p><b>Threading:</b> any thread; each link can be attached to once.
 */
public final class ShmGuest {
    private ShmGuest() {}

    /**
     * Attaches with the descriptors that the host's {@link ShmHost#spawn} has handed over.
     *
     * @throws IllegalStateException if this process was not started as a guest, or has attached already
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
            return attach(memory, bell);
        } catch (NumberFormatException notNumbers) {
            throw new IllegalArgumentException(
                    where + ": two descriptors are expected, as in 3,4; hand over what the ticket gives", notNumbers);
        }
    }

    /**
     * Attaches with two descriptors, which are the link's from now on.
     *
     * @throws IllegalStateException if the link has a guest already, or the host has closed it
     * @throws SegmentFormatException if the memory is not that of a link
     * @throws IllegalArgumentException if one of the descriptors is something else
     */
    static ShmLink attach(int memoryNumber, int bellNumber) {
        Doorbell bell = Doorbell.adopt(bellNumber);
        @Nullable MemoryRegion region = null;
        boolean attached = false;
        try {
            region = MemoryRegion.ofDescriptor(memoryNumber, Access.READ_WRITE);
            ensureSealed(region);
            LinkMemory memory = LinkMemory.open(region);
            LinkStatus status = memory.status(LinkMemory.Side.GUEST);
            ShmLink link = new ShmLink(memory, LinkMemory.Side.GUEST, bell);
            status.attach((int) ProcessHandle.current().pid());
            // The region has a copy of its own.
            LibC.get().close(memoryNumber);
            attached = true;
            return link;
        } finally {
            if (!attached) {
                closeAll(region, bell);
            }
        }
    }

    private static void closeAll(@Nullable MemoryRegion region, Doorbell bell) {
        try {
            if (region != null) {
                region.close();
            }
        } finally {
            bell.close();
        }
    }

    /** Without its seals the host could make the memory shorter under us. */
    private static void ensureSealed(MemoryRegion region) {
        Set<Seal> seals = region.seals();
        if (!seals.containsAll(Set.of(Seal.values()))) {
            throw new IllegalArgumentException(
                    region + " has the seals " + seals
                            + ": the memory of a link is sealed against every change of its size; attach to what a host has made");
        }
    }
}
