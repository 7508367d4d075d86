package dev.carillon.shm.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.Frame;
import dev.carillon.shm.HostConfig;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmHost;
import dev.carillon.shm.ShmLink;
import dev.carillon.shm.SlotWriter;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that end or are truncated between the moment when they are found and the end of their reading. */
// r[verify shm.inspect]
final class LinkReaderTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final LinkReader reader = new LinkReader();

    private ShmHost host() {
        return ShmHost.create(
                folder.resolve("host"), HostConfig.builder().inFiles().build());
    }

    @Test
    void aLinkThatHasEndedIsTold() throws Exception {
        FoundLinks found;
        try (ShmHost host = host()) {
            host.addPeer(LinkConfig.defaults());
            found = LinkFinder.find(folder.resolve("host").toString());
            assertEquals(1, reader.read(found).links().size());
        }
        Screen after = reader.read(found);
        assertEquals(List.of(), after.links());
        assertEquals("it has ended (ENOENT)", after.failed().get(0).why());
        assertEquals(0, after.exitCode());
    }

    @Test
    void figuresAreThoseOfTheirDirectionAndClass() throws Exception {
        try (ShmHost host = host()) {
            ShmLink link = host.addPeer(LinkConfig.defaults()).link();
            link.openChannel();
            for (int i = 0; i < 3; i++) {
                assertEquals(SendResult.SENT, link.trySend(Frame.of(1, i, ByteBuffer.allocate(2_000))));
            }
            SlotWriter claim = Objects.requireNonNull(link.tryClaim(100_000));
            Screen screen = reader.read(LinkFinder.find(folder.resolve("host").toString()));
            String all = LinkReport.of(screen);
            String toGuest = all.substring(all.indexOf("  to guest"), all.indexOf("  to host"));
            String toHost = all.substring(all.indexOf("  to host"));
            assertContains(toGuest, "4 of 256 entries unread, 4 since the start");
            assertContains(toGuest, "64 slots of 1,024 bytes: 64 free, 0 claimed, 0 in flight, 0 held");
            assertContains(toGuest, "16 slots of 16,384 bytes: 13 free, 0 claimed, 3 in flight, 0 held");
            assertContains(toGuest, "4 slots of 262,144 bytes: 3 free, 1 claimed, 0 in flight, 0 held");
            assertContains(toHost, "0 of 256 entries unread, 0 since the start");
            assertContains(
                    toHost, "channel 2.1: 262,144 granted, 0 unread, window 262,144; waits: credit told 0 times");
            assertContains(toHost, "note     to guest: slot 80: it is claimed and was not sent");
            String json = LinkJson.of(screen);
            assertContains(json, "{\"bytes\":16384,\"count\":16,\"free\":13,\"claimed\":0,\"inFlight\":3,\"held\":0}");
            assertContains(
                    json,
                    "\"guest\":null,\"toGuest\":{\"entries\":256,\"unread\":4,\"published\":4,\"perSecond\":null");
            claim.abort();
        }
    }

    private static void assertContains(String all, String part) {
        assertTrue(all.contains(part), () -> part + " is not in " + all);
    }

    @Test
    void aLinkOfWhichAProcessHasTwoDescriptorsIsShownOnce() throws Exception {
        String us = Long.toString(ProcessHandle.current().pid());
        try (ShmHost host = host()) {
            host.addPeer(LinkConfig.defaults());
            int once = LinkFinder.find(us).links().size();
            try (MemoryRegion second = MemoryRegion.openFile(folder.resolve("host/link-1"), Access.READ_ONLY)) {
                assertEquals(once, LinkFinder.find(us).links().size(), second::toString);
            }
        }
    }

    @Test
    void whatADeadHostHasLeftIsShown() throws Exception {
        Path left = Files.createDirectory(folder.resolve("left"));
        try (ShmHost host = host()) {
            host.addPeer(LinkConfig.defaults());
            Files.copy(folder.resolve("host/link-1"), left.resolve("link-1"));
        }
        FoundLinks found = LinkFinder.find(left.toString());
        assertTrue(found.of().startsWith("what a host has left"), found.of());
        assertEquals(1, reader.read(found).links().size());
    }

    @Test
    void aFileThatIsTruncatedWhileItIsReadIsTold() throws Exception {
        try (ShmHost host = host()) {
            host.addPeer(LinkConfig.defaults());
            Path file = folder.resolve("host/link-1");
            FoundLinks found = LinkFinder.find(folder.resolve("host").toString());
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Void> truncating = CompletableFuture.runAsync(() -> truncate(file, over));
            Set<String> told = new HashSet<>();
            try {
                Deadline.after(LIMIT).await("it is truncated in the midst", () -> {
                    Screen screen = reader.read(found);
                    screen.failed().forEach(failed -> told.add(failed.why()));
                    assertEquals(1, screen.links().size() + screen.failed().size());
                    return told.contains("it was truncated");
                });
            } finally {
                over.set(true);
                truncating.join();
            }
        }
    }

    /** Makes it shorter and as long as before, in turn; what comes back is zeros. */
    private static void truncate(Path path, AtomicBoolean over) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            long whole = file.length();
            while (!over.get()) {
                file.setLength(8_192);
                file.setLength(whole);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
