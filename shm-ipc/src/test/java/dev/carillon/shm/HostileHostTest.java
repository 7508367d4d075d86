package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.ServerSocket;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.RegionStats;
import dev.carillon.memory.Seal;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What listens at the socket of a host, says what a host says, and sends other descriptors. */
// r[verify shm.attach.socket]
final class HostileHostTest {
    private static final SegmentLayout LAYOUT =
            LinkConfig.builder().ring(4).withoutSlots().build().layout();
    private static final int PAGE = 4096;

    /** As many as the kernel takes in one message. */
    private static final int MOST_DESCRIPTORS = 253;

    @TempDir
    private Path folder;

    private final Sys sys = Sys.get();
    private final EventLoop loop = EventLoop.open().start();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final SegmentIdentity identity =
            new SegmentIdentity(7, 8, (int) ProcessHandle.current().pid(), 0, 1);
    private ServerSocket listener;
    private MemoryRegion memory;
    private DoorbellPair bells;
    private int before;
    private RegionStats regions = MemoryRegion.stats();

    @BeforeEach
    void open() {
        var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        listener = opened(ServerSocket.bind(loop, address));
        memory = opened(segment(LAYOUT.total(), EnumSet.allOf(Seal.class)));
        bells = opened(Doorbell.pair());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        loop.close();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    private int number(Fd descriptor) {
        opened.push(descriptor);
        int number = descriptor.acquire();
        descriptor.release();
        return number;
    }

    /** The memory of a link, as far as that size has room for it. */
    private MemoryRegion segment(int bytes, Set<Seal> seals) {
        try (MemoryRegion whole = MemoryRegion.memfd("whole", LAYOUT.total())) {
            LinkMemory.create(whole, identity, LAYOUT, 0);
            MemoryRegion part = MemoryRegion.memfd("part", bytes, seals);
            part.buffer().put(0, whole.buffer(), 0, Math.min(part.size(), whole.size()));
            return part;
        }
    }

    private CompletableFuture<Long> welcomed(StreamSocket guest, int... descriptors) {
        ByteBuffer welcome = AttachMessage.welcome(identity);
        return guest.readSomeAsync(ByteBuffer.allocate(AttachMessage.HELLO_BYTES))
                .thenCompose(hello -> descriptors.length == 0
                        ? guest.writeAllAsync(welcome)
                        : guest.sendDescriptorsAsync(welcome, descriptors).thenApply(Integer::longValue));
    }

    /** A guest connects, and gets these. */
    private Exception failureWith(int... descriptors) {
        before = Descriptors.count();
        regions = MemoryRegion.stats();
        CompletableFuture<StreamSocket> arrived = listener.acceptAsync();
        CompletableFuture<Long> sent = arrived.thenCompose(guest -> welcomed(guest, descriptors));
        Exception failure = assertThrows(
                Exception.class, () -> ShmGuest.connect(folder, LIMIT).close());
        assertEquals(AttachMessage.ANSWER_BYTES, Futures.get(sent));
        Futures.get(Futures.get(arrived).closeAsync());
        System.out.println(failure);
        return failure;
    }

    /** The guest learns why, and has nothing left of it. */
    private void assertRefused(String why, int... descriptors) {
        Exception failure = failureWith(descriptors);
        assertTrue(failure instanceof ConnectException, failure::toString);
        assertTrue(failure.toString().contains(folder.toString()), failure::toString);
        assertTrue(failure.toString().contains(why), failure::toString);
        assertNothingStays();
    }

    private void assertNothingStays() {
        Deadline.after(LIMIT).await("nothing is left open", () -> Descriptors.count() <= before);
        assertEquals(neverClosed(regions), neverClosed(MemoryRegion.stats()));
    }

    /** What others have left open may be collected meanwhile, and is counted as leaked then. */
    private static long neverClosed(RegionStats stats) {
        return stats.open() + stats.leaked();
    }

    private void assertRefusedAs(String reason, int memoryNumber) {
        Exception failure = failureWith(memoryNumber, bell());
        assertTrue(failure instanceof SegmentFormatException, failure::toString);
        assertEquals(reason, ((SegmentFormatException) failure).reason());
        assertNothingStays();
    }

    private int bell() {
        return bells.guest().fd();
    }

    @Test
    void anHonestOneIsAttachedTo() throws Exception {
        CompletableFuture<StreamSocket> arrived = listener.acceptAsync();
        CompletableFuture<Long> sent = arrived.thenCompose(guest -> welcomed(guest, memory.fd(), bell()));
        try (ShmLink link = ShmGuest.connect(folder, LIMIT)) {
            assertEquals(PeerState.ATTACHED, link.peerState());
            assertEquals(AttachMessage.ANSWER_BYTES, Futures.get(sent));
        }
        Futures.get(Futures.get(arrived).closeAsync());
    }

    @Test
    void tooFewAndTooManyDescriptorsAreRefused() {
        assertRefused("has sent 0 descriptors");
        assertRefused("has sent 1 descriptors", memory.fd());
        assertRefused("has sent 3 descriptors, and 2 were expected", memory.fd(), bell(), bell());
        int[] many = new int[MOST_DESCRIPTORS];
        Arrays.fill(many, memory.fd());
        assertRefused("has sent 253 descriptors", many);
    }

    @Test
    void whatIsNoMemoryIsRefused() throws Exception {
        Pipe pipe = Pipe.open();
        opened(pipe.source());
        opened(pipe.sink());
        assertRefused("is not a regular file", bell(), bell());
        assertRefused("is not a regular file", number(sys.files().open("/dev/null", Constants.O_RDWR, 0)), bell());
        assertRefused(
                "is not a regular file",
                number(sys.files().open(folder.toString(), Constants.O_RDONLY | Constants.O_DIRECTORY, 0)),
                bell());
        assertRefused("has length=0", number(sys.files().memory("empty")), bell());
    }

    @Test
    void memoryThatCannotBeWrittenIsRefused() {
        int readOnly = number(sys.files().open("/proc/self/fd/" + memory.fd(), Constants.O_RDONLY, 0));
        assertRefused("EACCES", readOnly, bell());
    }

    @Test
    void memoryThatIsTooShortOrAnothersIsRefusedWithAReason() {
        assertRefusedAs(
                "TOO_SHORT", opened(segment(PAGE, EnumSet.allOf(Seal.class))).fd());
        assertRefusedAs("UNPUBLISHED", opened(MemoryRegion.memfd("zeros", PAGE)).fd());
        try (ShmHost other = ShmHost.create();
                PeerTicket ticket = other.addPeer(LinkConfig.defaults())) {
            assertRefused("sent the memory of another", ticket.memoryNumber(), bell());
            assertEquals(PeerState.EXPECTED, ticket.link().peerState());
        }
    }

    @Test
    void memoryThatCanBecomeShorterIsRefused() throws IOException {
        assertRefused(
                "is sealed against every change of its size",
                opened(segment(LAYOUT.total(), EnumSet.of(Seal.GROW))).fd(),
                bell());
        Path file = folder.resolve("nameless");
        MemoryRegion removed = opened(MemoryRegion.createFile(file, LAYOUT.total()));
        Files.delete(file);
        assertRefused("is sealed against every change of its size", removed.fd(), bell());
    }

    // r[verify shm.doorbell.strangers]
    @Test
    void whatIsNoBellIsRefused() throws Exception {
        Pipe pipe = Pipe.open();
        opened(pipe.source());
        opened(pipe.sink());
        assertRefused("socket", memory.fd(), memory.fd());
        assertRefused("socket", memory.fd(), number(sys.files().open("/dev/null", Constants.O_RDWR, 0)));
        for (int type : new int[] {Constants.SOCK_STREAM, Constants.SOCK_DGRAM}) {
            assertRefused("socket", memory.fd(), number(sys.sockets().open(Constants.AF_INET, type)));
            assertRefused("socket", memory.fd(), number(sys.sockets().open(Constants.AF_UNIX, type)));
        }
    }
}
