package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process has more connections than the host serves at a time, and attaches with none of them. */
final class CrowdAtTheDoorIT {
    private static final int PENDING = 4;
    private static final int CROWD = 300;
    private static final int ENOUGH = 50;

    @TempDir
    private Path folder;

    // r[verify shm.attach.socket]
    @Test
    void aProcessWithManyConnectionsKeepsNoOtherProcessOut() throws Exception {
        Path directory = folder.resolve("host");
        BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
        HostConfig config = HostConfig.builder()
                .link(LinkConfig.builder().ring(4).withoutSlots().build())
                .pending(PENDING)
                // Longer than the guest waits: nobody of the crowd makes room by its end.
                .reserveFor(Duration.ofMinutes(5))
                .onGuest((link, guest) -> arrived.add(link))
                .build();
        try (ShmHost host = ShmHost.create(directory, config);
                ChildProcess crowd =
                        ChildJvm.of(Crowd.class).args(directory.toString()).start()) {
            crowd.awaitLine("all have said hello", LIMIT);
            for (int i = 0; i < PENDING; i++) {
                try (ShmLink guest = ShmGuest.connect(directory, LIMIT)) {
                    assertEquals(guest.peerId(), arrived.take().peerId());
                }
            }
            assertTrue(host.peers().size() <= 2 * PENDING, () -> host.peers().toString());
        }
    }

    /** Says hello on each connection, and nothing more. */
    static final class Crowd {
        public static void main(String[] args) throws Exception {
            var address = UnixDomainSocketAddress.of(Path.of(args[0]).resolve("socket"));
            List<SocketChannel> all = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                SocketChannel each = SocketChannel.open(StandardProtocolFamily.UNIX);
                each.connect(address);
                all.add(each);
                try {
                    each.write(AttachMessage.hello());
                } catch (java.io.IOException hungUp) {
                    System.out.println(i + " " + hungUp);
                }
                if (i == ENOUGH) {
                    System.out.println("all have said hello");
                }
            }
            System.out.println(all.size() + " connections");
            System.in.read();
        }
    }
}
