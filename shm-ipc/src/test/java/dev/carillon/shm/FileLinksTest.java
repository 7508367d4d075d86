package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links whose memory is a file in the directory of the host. */
final class FileLinksTest {
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).slots(256, 2).build();
    private static final HostConfig IN_FILES =
            HostConfig.builder().link(SMALL).inFiles().build();

    @TempDir
    private Path folder;

    private Path directory;

    @BeforeEach
    void nameDirectory() {
        directory = folder.resolve("host");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertTalk(ShmLink one, ShmLink other) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            assertEquals(SendResult.SENT, one.send(Frame.of(1, i, LinkPair.bytes(i * 10, i)), LONG));
            assertEquals(LinkPair.bytes(i * 10, i), LinkTest.receive(other).payload());
            assertEquals(SendResult.SENT, other.send(text("answer " + i), LONG));
            assertEquals("answer " + i, text(LinkTest.receive(one)));
        }
    }

    // r[verify shm.host.directory]
    @Test
    void aLinkHasAFileAsLongAsItIsOpen() throws Exception {
        try (ShmHost host = ShmHost.create(directory, IN_FILES)) {
            PeerTicket ticket = host.addPeer(SMALL);
            Path file = directory.resolve("link-" + ticket.link().peerId());
            assertEquals(List.of(file.getFileName().toString(), "socket"), names());
            assertEquals(0600, (int) Files.getAttribute(file, "unix:mode") & 0777);
            try (ShmLink guest = LinkPair.attach(ticket)) {
                assertTalk(ticket.link(), guest);
                ticket.link().close();
                assertEquals(List.of("socket"), names());
                assertEquals(PeerState.GONE, guest.peerState());
            }
            ticket.close();
            host.addPeer(SMALL).close();
            assertEquals(2, names().size());
        }
        assertFalse(Files.exists(directory));
    }

    // r[verify shm.attach.socket]
    @Test
    void aGuestThatComesByTheSocketGetsSuchALink() throws Exception {
        try (ShmHost host = ShmHost.create(directory, IN_FILES);
                ShmLink guest = ShmGuest.connect(directory)) {
            assertTalk(host.peers().get(0), guest);
            assertEquals(List.of("link-" + guest.peerId(), "socket"), names());
        }
        assertFalse(Files.exists(directory));
    }

    @Test
    void filesOfADeadHostAreRemoved() throws Exception {
        Files.createDirectory(directory);
        Files.setAttribute(directory, "unix:mode", 0700);
        Files.createFile(directory.resolve("link-1"));
        Files.createFile(directory.resolve("link-255"));
        try (ShmHost host = ShmHost.create(directory, IN_FILES)) {
            assertEquals(List.of("socket"), names());
            assertTrue(host.peers().isEmpty());
        }
    }

    // r[verify shm.header]
    @Test
    void aFileThatIsTruncatedUnderItsGuestIsRefusedWithAReason() throws Exception {
        Path file = folder.resolve("memory");
        try (MemoryRegion region = MemoryRegion.createFile(file, SMALL.layout().total())) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            SegmentFormatException refused = assertThrows(SegmentFormatException.class, () -> LinkMemory.open(region));
            assertEquals("TRUNCATED", refused.reason());
            assertTrue(refused.toString().contains("truncated"), refused::toString);
        }
    }

    @Test
    void aFileSystemThatIsTooSmallIsAnErrorAtOnceAndLeavesNothing() {
        ChildExit probe = ChildCommand.of("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder.toString())
                .run(LIMIT);
        Assumptions.assumeTrue(probe.code() == 0, "needs root to mount");
        String script = "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"";
        ChildExit exit = ChildJvm.of(FullDisk.class)
                .args(directory.toString())
                .prefix("unshare", "-m", "sh", "-c", script, folder.toString())
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertTrue(exit.toString().contains("ENOSPC (28)"), exit::toString);
        assertTrue(exit.toString().contains("the file system is full"), exit::toString);
        exit.assertPrinted("after it: [socket]");
        exit.assertPrinted("a smaller one: [link-2, socket]");
    }

    /** A link of some megabytes, and then one that fits. */
    static final class FullDisk {
        public static void main(String[] args) throws IOException {
            Path directory = Path.of(args[0]);
            try (ShmHost host = ShmHost.create(directory, IN_FILES)) {
                try {
                    host.addPeer(LinkConfig.defaults());
                    System.exit(1);
                } catch (RuntimeException full) {
                    System.out.println(full);
                }
                System.out.println("after it: " + names(directory));
                host.addPeer(SMALL).close();
                System.out.println("a smaller one: " + names(directory));
            }
            System.exit(Files.exists(directory) ? 1 : 0);
        }

        private static List<String> names(Path directory) throws IOException {
            try (Stream<Path> all = Files.list(directory)) {
                return all.map(each -> each.getFileName().toString()).sorted().toList();
            }
        }
    }
}
