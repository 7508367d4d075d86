package dev.carillon.shm.slot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Messages of mixed sizes through a ring and slots, with a child VM at the other side. */
final class TrafficProcessesIT {
    private static final int MESSAGES = Boolean.getBoolean("carillon.stress") ? 5_000_000 : 200_000;

    private static ChildJvm child(MemoryRegion region, String what, long seed) {
        String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + region.fd();
        return ChildJvm.of(Peer.class).args(path, what, Long.toString(seed), Integer.toString(MESSAGES));
    }

    // r[verify shm.ring]
    // r[verify shm.slot]
    @Test
    void whatAChildSendsComesWholeAndInOrder(@Seeded long seed) throws Exception {
        try (MemoryRegion region = Traffic.region();
                ChildProcess child = child(region, "send", seed).start()) {
            long sum = Deadline.call(Traffic.LIMIT, () -> new Traffic(region, ~seed).receive(MESSAGES));
            assertSum(child, sum);
        }
    }

    // r[verify shm.ring]
    // r[verify shm.slot]
    @Test
    void whatAChildReceivesIsWholeAndInOrder(@Seeded long seed) throws Exception {
        try (MemoryRegion region = Traffic.region();
                ChildProcess child = child(region, "receive", seed).start()) {
            long sum = Deadline.call(Traffic.LIMIT, () -> new Traffic(region, ~seed).send(MESSAGES));
            assertSum(child, sum);
        }
    }

    private static void assertSum(ChildProcess child, long sum) {
        ChildExit exit = child.awaitExit(Traffic.LIMIT);
        exit.assertPrinted("sum=" + sum);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** The other side, in a VM of its own. */
    static final class Peer {
        public static void main(String[] args) {
            int messages = Integer.parseInt(args[3]);
            try (MemoryRegion region = MemoryRegion.openFile(Path.of(args[0]), Access.READ_WRITE)) {
                Traffic traffic = new Traffic(region, Long.parseLong(args[2]));
                System.out.println(
                        "sum=" + ("send".equals(args[1]) ? traffic.send(messages) : traffic.receive(messages)));
            }
        }
    }
}
