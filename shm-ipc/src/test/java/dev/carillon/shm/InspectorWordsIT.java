package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.inspect.CarillonShm;
import dev.carillon.shm.segment.SegmentHeader;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the inspector says where there is little or nothing to show, and what it exits with. */
// r[verify shm.inspect]
final class InspectorWordsIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int NOBODY = 65_534;
    private static final long OURS = ProcessHandle.current().pid();

    /** Prints the pid of a child that ends when the program runs which does not wait for it. */
    private static final String UNWAITED =
            "(while ! grep -q sleep /proc/$$/comm; do :; done) & echo $!; exec sleep 300";

    @TempDir
    private Path folder;

    private static ChildJvm inspector(Object... words) {
        return ChildJvm.of(CarillonShm.class)
                .args(List.of(words).stream().map(Object::toString).toArray(String[]::new));
    }

    private static void assertSays(int code, String words, ChildJvm inspector) {
        ChildExit exit = inspector.run(LIMIT);
        assertEquals(code, exit.code(), exit::toString);
        assertTrue((exit.stdout() + "" + exit.stderr()).contains(words), exit::toString);
    }

    private ShmHost hostInFiles() {
        // Links are reserved as long as inspectors are started, which takes some time on a machine that is busy.
        Duration all = LIMIT.multipliedBy(4);
        HostConfig config = HostConfig.builder().inFiles().reserveFor(all).build();
        return ShmHost.create(folder.resolve("host"), config);
    }

    @Test
    void wordsThatItDoesNotKnowAreRefused() {
        assertSays(2, "give a directory or a pid", inspector());
        assertSays(2, "give a directory or a pid", inspector("--all"));
        assertSays(2, "give a directory or a pid", inspector(1, 2));
    }

    @Test
    void whereNoHostIsItSaysSo() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertSays(4, "is not there: give the directory of a host", inspector(folder.resolve("none")));
        assertSays(4, "is no directory", inspector(file));
        assertSays(4, "no host lives in " + folder, inspector(folder));
        assertSays(4, "there is no process " + Integer.MAX_VALUE, inspector(Integer.MAX_VALUE));
        Process other = new ProcessBuilder("sleep", "1000").start();
        try {
            assertSays(4, "has no link open: it is no host with guests, and no guest", inspector(other.pid()));
        } finally {
            other.destroy();
        }
    }

    /** What only looks like a link: a directory, a file that is none, a FIFO, and a link to something else. */
    @Test
    void aDirectoryThatIsNoHostsIsTold() throws Exception {
        Path files = Files.createDirectory(folder.resolve("files"));
        Files.writeString(files.resolve("link-1"), "no link");
        assertSays(4, "it is no link: TOO_SHORT", inspector(files));
        assertSays(4, "the host is gone", inspector(files, "--watch"));
        Path others = Files.createDirectory(folder.resolve("others"));
        Files.createDirectory(others.resolve("link-1"));
        Files.createSymbolicLink(others.resolve("link-2"), files.resolve("link-1"));
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", others.resolve("link-3").toString())
                        .start()
                        .waitFor());
        assertSays(4, "no host lives in " + others, inspector(others));
    }

    /** Its end was not taken by its parent: to its own user the kernel shows it as if it were another's. */
    @Test
    void aProcessThatHasEndedIsTold() throws IOException {
        try (ChildProcess parent = ChildCommand.of("sh", "-c", UNWAITED).start()) {
            String zombie = parent.awaitLine("", LIMIT);
            Path stat = Path.of("/proc", zombie, "stat");
            Deadline.after(LIMIT).await("it has ended", () -> read(stat).contains(") Z "));
            assertSays(4, "process " + zombie + " has ended", inspector(zombie));
        }
    }

    @Test
    void aProcessOfAnotherUserThatHasEndedIsToldToThatUser() throws IOException {
        assumeTrue(Sys.get().processes().uid() == 0, "only root can be somebody else");
        Programs.need("setpriv");
        try (ChildProcess parent =
                ChildCommand.of("sh", "-c", UNWAITED).user(NOBODY, NOBODY).start()) {
            String zombie = parent.awaitLine("", LIMIT);
            Path stat = Path.of("/proc", zombie, "stat");
            Deadline.after(LIMIT).await("it has ended", () -> read(stat).contains(") Z "));
            assertSays(4, "process " + zombie + " has ended", inspector(zombie).user(NOBODY, NOBODY));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aHostWithoutGuestsHasNoLink() {
        try (ShmHost host = ShmHost.create(folder.resolve("host"), HostConfig.defaults())) {
            assertEquals(List.of(), host.peers());
            assertSays(
                    0,
                    "host " + OURS + " in " + folder.resolve("host") + ": no link",
                    inspector(folder.resolve("host")));
        }
    }

    @Test
    void anotherUserIsTold() {
        assumeTrue(Sys.get().processes().uid() == 0, "only root can be somebody else");
        Programs.need("setpriv");
        try (ShmHost host = hostInFiles()) {
            host.addPeer(LinkConfig.defaults());
            assertSays(5, "is another user's", inspector(folder.resolve("host")).user(NOBODY, NOBODY));
            assertSays(5, "is another user's, or protected", inspector(OURS).user(NOBODY, NOBODY));
        }
    }

    @Test
    void aViolationAndATruncatedLinkAreToldBesideLinksThatAreWhole() throws IOException {
        Path directory = folder.resolve("host");
        try (ShmHost host = hostInFiles()) {
            for (int i = 0; i < 3; i++) {
                host.addPeer(LinkConfig.defaults());
            }
            assertSays(0, "link 3  RESERVED", inspector(directory));
            try (MemoryRegion region = MemoryRegion.openFile(directory.resolve("link-2"), Access.READ_WRITE)) {
                var toHost = SegmentHeader.readFrom(region.bytes()).layout().toHost();
                region.bytes().putLongVolatile(toHost.slotWord(3), 9);
            }
            try (RandomAccessFile file =
                    new RandomAccessFile(directory.resolve("link-3").toFile(), "rw")) {
                file.setLength(4_096);
            }
            ChildExit exit = inspector(directory).run(LIMIT);
            assertEquals(1, exit.code(), exit::toString);
            String all = String.join("\n", exit.stdout());
            assertTrue(all.contains("link 1  RESERVED"), all);
            assertTrue(all.contains("VIOLATION of invariant 1 SLOTS, to host: slot 3"), all);
            assertTrue(all.contains("link-3: it is no link: TOO_SHORT"), all);
        }
        assertSays(4, "is not there", inspector(directory));
    }

    /** Who has only the jars has no ./carillon. */
    @Test
    void theManualSaysHowToStartItFromTheJars() throws IOException {
        Path page = Path.of(System.getProperty("carillon.root", ".."), "docs/shm.md");
        assertTrue(Files.readString(page).contains("java -cp '*' " + CarillonShm.class.getName()), page::toString);
    }
}
