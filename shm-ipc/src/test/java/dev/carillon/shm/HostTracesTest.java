package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.shm.audit.DoorbellAudit;
import dev.carillon.shm.audit.Finding;
import dev.carillon.shm.audit.HostTraces;
import dev.carillon.shm.audit.Rule;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host or a bell leaves where it should not, and what of it is found. */
// r[verify shm.audit]
final class HostTracesTest {
    private static final long OURS = ProcessHandle.current().pid();

    @TempDir
    private Path folder;

    private static long inode(Doorbell bell) throws IOException {
        String target =
                Files.readSymbolicLink(Path.of("/proc/self/fd/" + bell.fd())).toString();
        return Long.parseLong(target.replaceAll("[^0-9]", ""));
    }

    /** The kernel numbers both ends one after the other, but where a block of numbers ends between them. */
    private static DoorbellPair neighbours() throws IOException {
        DoorbellPair bells = Doorbell.pair();
        while (Math.abs(inode(bells.host()) - inode(bells.guest())) != 1) {
            bells.close();
            bells = Doorbell.pair();
        }
        return bells;
    }

    @Test
    void anEndOfABellThatTwoProcessesHaveIsFoundUntilOneOfThemEnds() throws Exception {
        try (DoorbellPair bells = neighbours()) {
            long host = inode(bells.host());
            long guest = inode(bells.guest());
            assertEquals(List.of(), DoorbellAudit.ofEnds(host, guest));
            Child child = Spawn.command("sleep", "1000")
                    .inherit(bells.guest().fd(), 3)
                    .start();
            try {
                List<Finding> found = DoorbellAudit.ofEnds(host, guest);
                assertEquals(1, found.size(), found::toString);
                assertEquals(Rule.DOORBELL, found.get(0).rule());
                String holders = found.get(0).what();
                assertTrue(holders.contains("" + OURS) && holders.contains("" + child.pid()), holders);
                assertEquals(found, DoorbellAudit.between(OURS, child.pid()));
            } finally {
                child.kill();
                Futures.get(child.exit());
            }
            assertEquals(List.of(), DoorbellAudit.ofEnds(host, guest));
        }
    }

    @Test
    void anEndThatNobodyHasIsFound() throws Exception {
        try (DoorbellPair bells = Doorbell.pair()) {
            long guest = inode(bells.guest());
            bells.guest().close();
            assertEquals(1, DoorbellAudit.ofEnds(guest).size());
        }
    }

    @Test
    void descriptorAndMappingOfALinkAreFoundUntilItIsClosed() {
        List<Finding> before = HostTraces.ofProcess(OURS);
        try (ShmHost host = ShmHost.create()) {
            host.addPeer(LinkConfig.defaults());
            List<Finding> found = foundSince(before);
            assertEquals(2, found.size(), found::toString);
            assertEquals("mapping of pid " + OURS, found.get(0).place());
            assertEquals("descriptor of pid " + OURS, found.get(1).place());
        }
        assertEquals(List.of(), foundSince(before));
    }

    /** What others have left may go meanwhile. */
    private static List<Finding> foundSince(List<Finding> before) {
        return HostTraces.ofProcess(OURS).stream()
                .filter(each -> !before.contains(each))
                .toList();
    }

    @Test
    void theDirectoryOfAHostAndItsFilesAreFoundUntilItIsClosed() {
        Path directory = folder.resolve("host");
        try (ShmHost host =
                ShmHost.create(directory, HostConfig.builder().inFiles().build())) {
            host.addPeer(LinkConfig.defaults());
            List<Finding> found = HostTraces.ofDirectory(OURS, directory);
            String all = found.toString();
            assertTrue(all.contains("mapping of pid " + OURS), all);
            assertTrue(all.contains("is " + directory.resolve("link-1")), all);
            assertTrue(all.contains("the directory is still there"), all);
        }
        assertEquals(List.of(), HostTraces.ofDirectory(OURS, directory));
    }

    @Test
    void aProcessThatIsNotThereIsRefused() {
        assertThrows(UncheckedIOException.class, () -> HostTraces.ofProcess(Integer.MAX_VALUE));
    }
}
