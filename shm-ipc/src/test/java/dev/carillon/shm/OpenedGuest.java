package dev.carillon.shm;

import dev.carillon.io.PassedDescriptor;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.sys.LibC;
import java.util.List;

/** A guest whose parts a test has in its hands: its close lets go of all of them, and says no goodbye. */
record OpenedGuest(ShmLink link, MemoryRegion region, Doorbell bell) implements AutoCloseable {
    /** Attaches to what has come by the socket of a host. */
    static OpenedGuest of(List<PassedDescriptor> received) {
        return of(received.get(0).detach(), received.get(1).detach());
    }

    /** Attaches to what was inherited. */
    static OpenedGuest of(int memoryNumber, int bellNumber) {
        return of(memoryNumber, bellNumber, (int) ProcessHandle.current().pid());
    }

    /** As {@link #of(int, int)}, and says that it is another process. */
    static OpenedGuest of(int memoryNumber, int bellNumber, int pid) {
        MemoryRegion region = MemoryRegion.ofDescriptor(memoryNumber, Access.READ_WRITE);
        // The region has a copy of its own.
        LibC.get().close(memoryNumber);
        Doorbell bell = Doorbell.adopt(bellNumber);
        LinkMemory memory = LinkMemory.open(region);
        ShmLink link = new ShmLink(memory, LinkMemory.Side.GUEST, bell);
        memory.status(LinkMemory.Side.GUEST).attach(pid);
        bell.ring();
        return new OpenedGuest(link, region, bell);
    }

    @Override
    public void close() {
        bell.close();
        region.close();
    }
}
