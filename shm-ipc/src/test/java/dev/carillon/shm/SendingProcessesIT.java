package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims, batches and retained frames between two processes. */
final class SendingProcessesIT {
    private static final int FRAMES = 20_000;

    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).slots(1024, 2).slots(4096, 1).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    private Child spawn(ShmHost host, PeerTicket ticket, Class<?> guest, String... args) {
        Spawn.Builder command = Spawn.command(ChildJvm.of(guest).args(args).command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
        return host.spawn(command, ticket, loop);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The host keeps each frame until the next one has come, so that one of three slots is always away. */
    // r[verify shm.claim] r[verify shm.batch] r[verify shm.retain] r[verify shm.wakeup.slot-wait]
    @Test
    void aChildThatClaimsAndBatchesIsReceivedFrameByFrameInPlace() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            ShmLink link = ticket.link();
            Child child = spawn(host, ticket, Sender.class);
            List<Frame> kept = new ArrayList<>();
            int next = 0;
            while (next < FRAMES) {
                assertTrue(link.awaitData(LONG), this::output);
                next += link.poll(frame -> kept.add(frame.retain()), 1);
                Frame newest = kept.get(kept.size() - 1);
                assertEquals(next - 1, newest.id());
                assertEquals(bytes(newest.length(), next - 1), newest.payload());
                while (kept.size() > 1) {
                    kept.remove(0).release();
                }
            }
            assertEquals("exit code 0", Futures.get(child.exit()).toString(), this::output);
            assertEquals(FRAMES - 1, kept.get(0).id(), "it stays although its sender is gone");
            assertEquals(bytes(kept.get(0).length(), FRAMES - 1), kept.get(0).payload());
        }
    }

    /** Sends in turn claims, some of which it aborts, and batches. */
    static final class Sender {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                int id = 0;
                while (id < FRAMES) {
                    id += id % 3 == 0 ? batch(link, id) : claim(link, id);
                }
            }
        }

        private static int claim(ShmLink link, int id) throws InterruptedException {
            int length = id * 7 % 1000;
            try (SlotWriter claim = Objects.requireNonNull(link.awaitClaim(length, LONG))) {
                if (id % 5 == 0) {
                    claim.abort();
                    return send(link, id, length);
                }
                claim.bytes().put(bytes(length, id));
                return check(claim.commit(1, 0, id));
            }
        }

        private static int send(ShmLink link, int id, int length) throws InterruptedException {
            return check(link.send(Frame.of(1, id, bytes(length, id)), LONG));
        }

        private static int check(SendResult result) {
            if (result != SendResult.SENT) {
                throw new IllegalStateException(result.toString());
            }
            return 1;
        }

        private static int batch(ShmLink link, int id) throws InterruptedException {
            if (!link.awaitSpace(LONG)) {
                throw new IllegalStateException("no space");
            }
            return link.sendBatch(Math.min(3, FRAMES - id), (index, frame) -> {
                int length = index * 60;
                return frame.begin(1, 0, id + index, length) && put(frame, id + index, length);
            });
        }

        private static boolean put(FrameWriter frame, int id, int length) {
            frame.put(0, bytes(length, id), 0, length);
            return true;
        }
    }

    @Test
    void aChildThatIsKilledInItsClaimsLeavesAPrefixOfWholeFrames() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (ShmHost host = ShmHost.create()) {
                PeerTicket ticket = host.addPeer(SMALL);
                ShmLink link = ticket.link();
                Child child = spawn(host, ticket, Sender.class);
                int kill = 1_000 + round * 777;
                int[] next = {0};
                FrameHandler whole = frame -> {
                    assertEquals(next[0], frame.id());
                    assertEquals(bytes(frame.length(), next[0]), frame.payload());
                    next[0]++;
                };
                while (next[0] < kill) {
                    assertTrue(link.awaitData(LONG), this::output);
                    link.poll(whole, 1);
                }
                child.kill();
                Futures.get(child.exit());
                while (link.poll(whole, 10) > 0) {
                    // What it had published.
                }
                assertTrue(next[0] < FRAMES);
            }
        }
    }
}
