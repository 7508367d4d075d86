package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Seeded;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrays of buffers that are longer than what one system call takes: no byte is lost, and no end is invented. */
abstract class ManyBuffersContract extends LoopCase {
    /** Around what one call takes, and what the kernel takes at most. */
    private static final int[] COUNTS = {1, 2, 63, 64, 65, 66, 128, 129, 500, 1023, 1024, 1025, 1030};

    @TempDir
    private Path folder;

    /** A way for bytes; the one who reads may be the one who writes. */
    private interface Route {
        void carry(byte[] content, ByteBuffer[] out, ByteBuffer[] in) throws Exception;
    }

    private void overSockets(EventLoop loop, SocketAddress at, Rounds rounds) throws Exception {
        ServerSocket server = closeLater(ServerSocket.bind(loop, at));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket peer = closeLater(get(accepted));
        rounds.run((content, out, in) -> {
            CompletableFuture<Long> written = client.writeAllAsync(out);
            readFully(peer, in);
            assertEquals(content.length, get(written));
        });
    }

    private static void readFully(StreamHandle from, ByteBuffer[] in) {
        int left = 0;
        for (ByteBuffer buffer : in) {
            left += buffer.remaining();
        }
        while (left > 0) {
            int count = get(from.readSomeAsync(in));
            int before = left;
            assertTrue(count > 0, () -> "an end was met although " + before + " bytes are to come");
            left -= count;
        }
    }

    @FunctionalInterface
    private interface Rounds {
        void run(Route route) throws Exception;
    }

    /** All counts of buffers, with sizes that depend on their place. */
    private static Rounds sized(SplittableRandom random, int[] counts, Sizes sizes) {
        return route -> {
            for (int count : counts) {
                ByteBuffer[] out = buffers(random, count, sizes.of(count));
                ByteBuffer[] in = buffers(random, count, sizes.of(count));
                byte[] content = fill(random, out);
                route.carry(content, out, in);
                assertArrayEquals(content, content(in), () -> count + " buffers");
            }
        };
    }

    @FunctionalInterface
    private interface Sizes {
        IntUnaryOperator of(int count);
    }

    private static ByteBuffer[] buffers(SplittableRandom random, int count, IntUnaryOperator sizes) {
        ByteBuffer[] buffers = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            int size = sizes.applyAsInt(i);
            buffers[i] = random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
        }
        return buffers;
    }

    private static byte[] fill(SplittableRandom random, ByteBuffer[] buffers) {
        int total = 0;
        for (ByteBuffer buffer : buffers) {
            byte[] part = new byte[buffer.remaining()];
            random.nextBytes(part);
            buffer.put(part).flip();
            total += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(total);
        for (ByteBuffer buffer : buffers) {
            all.put(buffer.duplicate());
        }
        return all.array();
    }

    private static byte[] content(ByteBuffer[] filled) {
        int total = 0;
        for (ByteBuffer buffer : filled) {
            total += buffer.position();
        }
        ByteBuffer all = ByteBuffer.allocate(total);
        for (ByteBuffer buffer : filled) {
            all.put(buffer.flip());
        }
        return all.array();
    }

    /** All but the last one have no room: what a framed protocol gives that has not filled its parts. */
    private static Sizes onlyTheLastHasRoom() {
        return count -> i -> i == count - 1 ? 5 : 0;
    }

    private static Sizes allHaveRoom() {
        return count -> i -> 1 + i % 7;
    }

    private static Sizes mixed(SplittableRandom random) {
        int[] sizes =
                random.ints(1100, 0, 900).map(size -> size % 3 == 0 ? size : 0).toArray();
        sizes[0] = 4;
        return count -> i -> sizes[i];
    }

    private Rounds every(SplittableRandom random) {
        return route -> {
            sized(random, COUNTS, onlyTheLastHasRoom()).run(route);
            sized(random, COUNTS, allHaveRoom()).run(route);
            sized(random, COUNTS, mixed(random)).run(route);
        };
    }

    // r[verify io.partial]
    @Test
    void tcpCarriesEveryBufferHoweverManyThereAre(@Seeded SplittableRandom random) throws Exception {
        overSockets(started(), localFour(), every(random));
    }

    // r[verify io.partial]
    @Test
    void unixSocketsCarryEveryBufferHoweverManyThereAre(@Seeded SplittableRandom random) throws Exception {
        overSockets(started(), UnixDomainSocketAddress.of(folder.resolve("socket")), every(random));
    }

    // r[verify io.partial]
    @Test
    void filesTakeEveryBufferHoweverManyThereAre(@Seeded SplittableRandom random) throws Exception {
        EventLoop loop = started();
        Path path = folder.resolve("file");
        every(random).run((content, out, in) -> {
            Files.write(path, new byte[0]);
            FileHandle file = closeLater(get(FileHandle.open(loop, path, StandardOpenOption.WRITE)));
            assertEquals(content.length, get(file.writeAllAsync(out)));
            get(file.closeAsync());
            assertArrayEquals(content, Files.readAllBytes(path));
            FileHandle again = closeLater(get(FileHandle.open(loop, path)));
            readFully(again, in);
            assertEquals(-1, get(again.readSomeAsync(ByteBuffer.allocate(1))));
            get(again.closeAsync());
        });
    }

    // r[verify io.partial]
    @Test
    void buffersWithoutRoomLieAnywhere(@Seeded SplittableRandom random) throws Exception {
        EventLoop loop = started();
        int[] counts = random.ints(200, 1, 1031).toArray();
        overSockets(loop, localFour(), sized(random, counts, mixed(random)));
    }

    // r[verify io.partial]
    @Test
    void aReadWhoseBufferHasBeenFilledMeanwhileMeetsNoEnd() {
        EventLoop loop = started();
        var pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        ByteBuffer shared = ByteBuffer.allocateDirect(4);
        CompletableFuture<Integer> first = pair.get(1).readSomeAsync(shared);
        CompletableFuture<Integer> second = pair.get(1).readSomeAsync(shared);
        get(pair.get(0).writeAllAsync(LoopCase.bytes("12345")));
        assertEquals(4, get(first));
        assertMessage(failureOf(second), "nothing remains in the buffer any more");
        ByteBuffer rest = ByteBuffer.allocate(4);
        assertEquals(1, get(pair.get(1).readSomeAsync(rest)));
        assertEquals("5", LoopCase.text(rest));
    }
}
