package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A guest that attaches, does everything once that a link can do, and leaves. It is held by a debugger right before one of its
 * writes to the memory, and killed there: before each of them, in as many processes.
 */
// r[verify shm.recovery.kill-anywhere]
final class KillAtEachStepIT {
    /** Without stress, some of the steps: each time others. */
    private static final int SOME = 8;

    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final int LARGE = 600;
    private static final Duration SOON = Duration.ofMillis(5);
    private static final LinkConfig CONFIG = LinkConfig.builder()
            .ring(32)
            .slots(1024, 4)
            .channels(8)
            .window(4000)
            .build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES) // under stress: each step is a VM of its own
    void whereverAGuestIsKilledItsHostFindsAPrefixAndNothingBroken(@Seeded SplittableRandom random) throws Exception {
        int all = killed(Integer.MAX_VALUE);
        System.out.println("a guest makes " + all + " steps");
        assertTrue(all > 60, () -> "only " + all + " steps: it has not done what it should");
        int stride = STRESS ? 1 : Math.max(1, all / SOME);
        int before = 0;
        for (int step = 1 + (STRESS ? 0 : random.nextInt(stride)); step <= all; step += stride) {
            killed(step);
            before = before == 0 ? Descriptors.count() : before;
        }
        int most = before;
        Deadline.after(LIMIT).await("nothing stays open", () -> Descriptors.count() <= most);
    }

    /** Returns how many steps the guest has made, at most. */
    private int killed(int step) throws Exception {
        BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();
        Path directory = folder.resolve("host");
        BlockingQueue<Served> arrived = new LinkedBlockingQueue<>();
        HostConfig config = HostConfig.builder()
                .loop(loop)
                .linkFor(guest -> CONFIG)
                .reserveFor(LIMIT)
                .onGuest((link, guest) -> arrived.add(new Served(link)))
                .build();
        try (ShmHost host = ShmHost.create(directory, config);
                ShmLink other = ShmGuest.connect(directory);
                ChildProcess guest = ChildJvm.of(Guest.class)
                        .vmFlags(StepDebugger.FLAG)
                        .args(directory.toString())
                        .start()) {
            ShmLink toOther = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).link;
            host.onPeerDeath(deaths::add);
            StepDebugger debugger = StepDebugger.attach(guest.awaitLine(StepDebugger.LISTENING, LIMIT));
            Optional<String> reached = debugger.runUntil(step);
            String where = "killed before step " + step + ", " + reached.orElse("its end");
            if (reached.isPresent()) {
                guest.send("KILL");
            }
            ChildExit exit = guest.awaitExit(LIMIT);
            assertEquals(reached.isPresent() ? 137 : 0, exit.code(), exit::toString);
            // A guest that was killed before it has attached leaves a link to nobody, which nobody is told of.
            Deadline.after(LIMIT)
                    .await(where, () -> arrived.size() == 1 || host.peers().size() == 1);
            Served served = arrived.poll();
            if (served != null) {
                served.assertIntact(reached.isPresent(), where);
                ChaosIT.assertSound(served.link);
                boolean isDead = served.link.peerState() == PeerState.DEAD;
                assertEquals(isDead, deaths.poll(isDead ? LIMIT.toMillis() : 0, TimeUnit.MILLISECONDS) != null, where);
                served.link.close();
            } else {
                assertTrue(reached.isPresent(), where);
            }
            for (int i = 0; i < Guest.FED; i++) {
                assertEquals(i, LinkTest.receive(other).id(), where);
            }
            assertEquals(SendResult.SENT, toOther.trySend(LinkPair.text("others go on")), where);
            assertEquals("others go on", LinkPair.text(LinkTest.receive(other)), where);
            return debugger.steps();
        }
    }

    /** The host's side of a link: what the guest gets to receive, and what came from it. */
    private static final class Served {
        private final ShmLink link;
        private final List<Frame> frames = new ArrayList<>();
        private final List<ShmChannel> channels = new ArrayList<>();
        private final Waiting<Boolean> all;

        Served(ShmLink link) {
            this.link = link;
            for (int i = 0; i < Guest.FED; i++) {
                link.trySend(Frame.of(1, i, LinkPair.bytes(i % 2 == 0 ? 10 : LARGE, i)));
            }
            channels.add(link.openChannel());
            all = Waiting.on(this::receiveAll);
        }

        private boolean receiveAll() throws InterruptedException {
            boolean asked = false;
            // What the guest says of channels is no frame, and ends no wait for one.
            while (link.awaitData(SOON) || !link.peerState().isOver() || link.awaitData(SOON)) {
                link.poll(frame -> frames.add(frame.copy()), 64);
                ShmChannel opened = link.acceptChannel(Duration.ZERO);
                if (opened != null) {
                    channels.add(opened);
                }
                if (!asked && channels.get(0).credit() > LARGE) {
                    asked = channels.get(0).trySend(Frame.of(1, 0, LinkPair.bytes(LARGE - 100, 0))) == SendResult.SENT;
                }
            }
            return true;
        }

        /** What the guest has published is there, in its order, and no call tells of nonsense. */
        void assertIntact(boolean wasKilled, String where) throws Exception {
            assertTrue(all.result(), where);
            assertTrue(link.peerState().isOver(), where);
            List<Frame> plain =
                    frames.stream().filter(each -> each.channel() == 0).toList();
            for (int i = 0; i < plain.size(); i++) {
                Frame frame = plain.get(i);
                assertEquals(i, frame.id(), where);
                assertEquals(LinkPair.bytes(frame.length(), i), frame.payload(), where);
            }
            assertTrue(wasKilled || plain.size() == Guest.FRAMES, () -> where + ": " + plain);
            assertTrue(wasKilled || frames.size() == Guest.FRAMES + 1, () -> where + ": " + frames);
            assertNull(link.receive(LIMIT), where);
            assertEquals(SendResult.PEER_GONE, link.trySend(LinkPair.text("nobody reads it")), where);
            for (ShmChannel each : channels) {
                assertNotEquals(SendResult.SENT, each.trySend(LinkPair.text("nor that")), where);
                assertNull(each.receive(LIMIT), where);
            }
            assertFalse(link.awaitSpace(LARGE, LIMIT), where);
        }
    }

    /** Does everything once, on one thread, so that its steps are the same each time. */
    static final class Guest {
        static final int FRAMES = 9;
        static final int FED = 4;

        private static long id;

        public static void main(String[] args) throws Exception {
            try (ShmLink link = ShmGuest.connect(Path.of(args[0]), LIMIT)) {
                sent(link.trySend(next(20)));
                sent(link.trySend(next(LARGE)));
                try (SlotWriter claim = Objects.requireNonNull(link.tryClaim(LARGE))) {
                    claim.abort();
                }
                try (SlotWriter claim = Objects.requireNonNull(link.tryClaim(LARGE))) {
                    claim.bytes().put(LinkPair.bytes(LARGE, (int) id));
                    sent(claim.commit(1, 0, id++));
                }
                int batch = link.sendBatch(4, (i, frame) -> {
                    boolean begun = frame.begin(1, 0, id, i == 2 ? LARGE : 8);
                    byte[] bytes = LinkPair.bytes(i == 2 ? LARGE : 8, (int) id).array();
                    frame.put(0, bytes, 0, bytes.length);
                    id++;
                    return begun;
                });
                ShmChannel channel = link.openChannel();
                sent(link.sendAndRing(next(30)));
                channel.close();
                sent(link.trySend(next(LARGE)));
                receive(link);
                if (batch != 4 || id != FRAMES) {
                    throw new IllegalStateException("batch=" + batch + " id=" + id);
                }
            }
        }

        private static void receive(ShmLink link) throws InterruptedException {
            List<Frame> kept = new ArrayList<>();
            while (kept.size() < FED) {
                link.awaitData(LIMIT);
                link.poll(frame -> kept.add(frame.retain()), 1);
            }
            kept.forEach(Frame::release);
            ShmChannel channel = Objects.requireNonNull(link.acceptChannel(LIMIT));
            Frame asked = Objects.requireNonNull(channel.receive(LIMIT));
            sent(channel.send(Frame.of(2, 0, asked.payload()), LIMIT));
            channel.reset();
        }

        private static Frame next(int length) {
            Frame frame = Frame.of(1, id, LinkPair.bytes(length, (int) id));
            id++;
            return frame;
        }

        private static void sent(SendResult result) {
            if (result != SendResult.SENT) {
                throw new IllegalStateException(result.toString());
            }
        }
    }
}
