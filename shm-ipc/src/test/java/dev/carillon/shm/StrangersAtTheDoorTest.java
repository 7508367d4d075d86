package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that connect to a host and are no guests, or bad ones. */
// r[verify shm.attach.socket]
final class StrangersAtTheDoorTest {
    private static final int CROWD = 1_000;
    private static final int PENDING = 4;

    /** A guest has it from its descriptors to the attaching. */
    private static final Duration RESERVED = Duration.ofSeconds(1);

    private static final int TRIES = 5;
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).withoutSlots().build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final EventLoop clients = EventLoop.open().start();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
    private ShmHost host;
    private Path directory;
    private UnixDomainSocketAddress address;
    private int before;

    @BeforeEach
    void openHost() throws Exception {
        directory = folder.resolve("host");
        address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        host = ShmHost.create(
                directory,
                HostConfig.builder()
                        .loop(loop)
                        .link(SMALL)
                        .pending(PENDING)
                        .reserveFor(RESERVED)
                        .onGuest((link, guest) -> arrived.add(link))
                        .build());
        assertServes();
        before = Descriptors.count();
    }

    @AfterEach
    void closeHost() {
        host.close();
        loop.close();
        clients.close();
    }

    private SocketChannel connected() throws Exception {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(address);
        return channel;
    }

    /** One that had no processor while its time was running comes again, as it is told to. */
    private ShmLink guest() throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                return ShmGuest.connect(directory, LIMIT);
            } catch (ConnectException | IllegalStateException tooSlow) {
                if (tries == TRIES) {
                    throw tooSlow;
                }
            }
        }
    }

    /** Who says something too late has been hung up on. */
    private static void say(SocketChannel channel, ByteBuffer what) {
        try {
            channel.write(what);
        } catch (java.io.IOException hungUp) {
            assertTrue(channel.isOpen(), hungUp::toString);
        }
    }

    /** A guest gets its link, whatever else there is. */
    private void assertServes() throws Exception {
        try (ShmLink guest = guest()) {
            assertEquals(guest.peerId(), arrived.take().peerId());
        }
        for (ShmLink link : host.peers()) {
            if (link.peerState() == PeerState.GONE) {
                link.close();
            }
        }
    }

    private void assertNothingStays() {
        Deadline.after(LIMIT).await("all that was opened is closed", () -> Descriptors.count() <= before);
        Deadline.after(LIMIT).await("no link is left", () -> host.peers().isEmpty());
    }

    private static void assertHungUp(SocketChannel channel) throws Exception {
        ByteBuffer answer = ByteBuffer.allocate(100);
        int bytes;
        do {
            try {
                bytes = Deadline.call(LIMIT, () -> channel.read(answer.clear()));
            } catch (java.io.IOException reset) {
                bytes = -1;
            }
        } while (bytes > 0);
    }

    @Test
    void oneThatConnectsAndSaysNothingIsClosed() throws Exception {
        try (SocketChannel silent = connected()) {
            assertHungUp(silent);
        }
        assertServes();
        assertNothingStays();
    }

    @Test
    void aThousandThatSayNothingKeepNobodyWaiting() throws Exception {
        List<SocketChannel> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < CROWD; i++) {
                crowd.add(connected());
            }
            assertServes();
            // What the last guest had is closed a moment later; who is silent stays longer than that.
            int most = before + CROWD + WaitingGuests.MOST + PENDING + 2;
            assertTrue(
                    Deadline.after(RESERVED).poll(() -> Descriptors.count() <= most),
                    () -> "descriptors: " + (Descriptors.count() - before - CROWD));
        } finally {
            for (SocketChannel each : crowd) {
                each.close();
            }
        }
        assertNothingStays();
    }

    @Test
    void aThousandThatComeAndGoLeaveNothing() throws Exception {
        for (int i = 0; i < CROWD; i++) {
            try (SocketChannel each = connected()) {
                if (i % 2 == 0) {
                    say(each, AttachMessage.hello());
                }
            }
        }
        assertServes();
        assertNothingStays();
    }

    @Test
    void garbageIsHungUpOn(@Seeded SplittableRandom random) throws Exception {
        for (int i = 0; i < 200; i++) {
            ByteBuffer hello = AttachMessage.hello();
            byte[] bytes = new byte[1 + random.nextInt(40)];
            random.nextBytes(bytes);
            boolean nearly = random.nextBoolean();
            if (nearly) {
                hello.put(random.nextInt(8), (byte) random.nextInt(128, 256));
            }
            try (SocketChannel stranger = connected()) {
                say(stranger, nearly ? hello : ByteBuffer.wrap(bytes));
                assertHungUp(stranger);
            }
        }
        assertServes();
        assertNothingStays();
    }

    @Test
    void descriptorsThatNobodyAskedForAreClosed() throws Exception {
        try (MemoryRegion region = MemoryRegion.memfd("unwanted", 1)) {
            for (int count : new int[] {1, 2, 253}) {
                int[] numbers = new int[count];
                java.util.Arrays.fill(numbers, region.fd());
                StreamSocket stranger = Futures.get(StreamSocket.connect(clients, address));
                try {
                    Futures.get(stranger.sendDescriptorsAsync(AttachMessage.hello(), numbers));
                    assertEquals(-1, Futures.get(stranger.readSomeAsync(ByteBuffer.allocate(100))));
                } finally {
                    Futures.get(stranger.closeAsync());
                }
            }
        }
        assertServes();
        assertNothingStays();
    }

    @Test
    void aHelloMayComeInPieces() throws Exception {
        ByteBuffer hello = AttachMessage.hello();
        try (SocketChannel guest = connected()) {
            for (int end : new int[] {1, 7, 15, 16}) {
                guest.write(hello.limit(end));
                awaitTurnsOfTheLoop();
            }
            ByteBuffer answer = ByteBuffer.allocate(AttachMessage.ANSWER_BYTES).order(hello.order());
            assertEquals(AttachMessage.ANSWER_BYTES, Deadline.call(LIMIT, () -> guest.read(answer)));
            assertEquals(AttachMessage.Verdict.WELCOME, AttachMessage.verdict(answer));
        }
        assertServes();
        assertNothingStays();
    }

    /** What was there before is read then. */
    private void awaitTurnsOfTheLoop() {
        for (int i = 0; i < 5; i++) {
            Futures.get(CompletableFuture.runAsync(() -> {}, loop));
        }
    }

    @Test
    void aHelloThatIsTooLongIsHungUpOn() throws Exception {
        try (SocketChannel stranger = connected()) {
            stranger.write(ByteBuffer.allocate(17).put(AttachMessage.hello()).rewind());
            ByteBuffer answer = ByteBuffer.allocate(AttachMessage.ANSWER_BYTES);
            int bytes = Deadline.call(LIMIT, () -> {
                try {
                    return stranger.read(answer);
                } catch (java.io.IOException reset) {
                    return -1;
                }
            });
            assertEquals(-1, bytes);
        }
        assertNothingStays();
    }

    @Test
    void anotherVersionIsTold() throws Exception {
        assertOtherVersion(8);
    }

    @Test
    void aHelloWithSomethingAfterItsVersionIsOfAnotherVersion() throws Exception {
        assertOtherVersion(12);
    }

    private void assertOtherVersion(int place) throws Exception {
        ByteBuffer hello = AttachMessage.hello();
        hello.putInt(place, 99);
        try (SocketChannel stranger = connected()) {
            stranger.write(hello);
            ByteBuffer answer = ByteBuffer.allocate(AttachMessage.ANSWER_BYTES).order(hello.order());
            assertEquals(AttachMessage.ANSWER_BYTES, Deadline.call(LIMIT, () -> stranger.read(answer)));
            assertTrue(AttachMessage.isAnswer(answer));
            assertEquals(AttachMessage.Verdict.OTHER_VERSION, AttachMessage.verdict(answer));
            assertHungUp(stranger);
        }
        assertNothingStays();
    }

    /** It keeps the connection and the descriptors; the host waits for some time, and not longer. */
    @Test
    void aGuestThatTakesItsDescriptorsAndDoesNotAttachLosesItsLink() throws Exception {
        StreamSocket idle = Futures.get(StreamSocket.connect(clients, address));
        ReceivedDescriptors got = null;
        long began = System.nanoTime();
        try {
            Futures.get(idle.writeAllAsync(AttachMessage.hello()));
            got = Futures.get(idle.receiveDescriptorsAsync(ByteBuffer.allocate(100), 2));
            assertEquals(2, got.descriptors().size());
            int links = host.peers().size();
            boolean isOver = System.nanoTime() - began >= RESERVED.toNanos();
            assertTrue(links == 1 || (isOver && links == 0), () -> "links: " + links);
            assertEquals(-1, Futures.get(idle.readSomeAsync(ByteBuffer.allocate(100))));
        } finally {
            if (got != null) {
                got.descriptors().forEach(PassedDescriptor::close);
            }
            Futures.get(idle.closeAsync());
        }
        assertServes();
        assertNothingStays();
    }

    /** As many as the host lets in: the next one waits until their time is over. */
    @Test
    void guestsThatHangOnMakeOthersWaitAndNoMore() throws Exception {
        List<SocketChannel> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * PENDING; i++) {
                SocketChannel each = connected();
                crowd.add(each);
                each.write(AttachMessage.hello());
            }
            assertServes();
            assertTrue(host.peers().size() <= PENDING, () -> host.peers().toString());
        } finally {
            for (SocketChannel each : crowd) {
                each.close();
            }
        }
        assertServes();
        assertNothingStays();
    }

    @Test
    void aCloseOfTheHostEndsWhatIsUnderWay() throws Exception {
        try (SocketChannel silent = connected();
                SocketChannel greeted = connected()) {
            ByteBuffer hello = AttachMessage.hello();
            greeted.write(hello);
            // Its link was made before the answer.
            ByteBuffer answer = ByteBuffer.allocate(AttachMessage.ANSWER_BYTES).order(hello.order());
            assertEquals(AttachMessage.ANSWER_BYTES, Deadline.call(LIMIT, () -> greeted.read(answer)));
            assertEquals(AttachMessage.Verdict.WELCOME, AttachMessage.verdict(answer));
            host.close();
            assertHungUp(silent);
            assertHungUp(greeted);
        }
    }
}
