package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However much is to be moved: between two turns of others it is a little, which is counted here and not timed. */
abstract class TransferFairnessContract extends LoopCase {
    private static final int LARGE = 64 << 20;

    /** What an iteration may move, and the one piece that is under way when that is reached. */
    private static final long MAX = (1 << 20) + (256 << 10);

    @TempDir
    private Path folder;

    /** A task that posts itself again as long as it may: it has its turn in each iteration, and counts what was moved. */
    private static final class Turns implements Runnable {
        private final EventLoop loop;
        private final LongSupplier moved;
        private final CompletableFuture<?> end;
        private long before;
        private long most;
        private long turns;

        Turns(EventLoop loop, LongSupplier moved, CompletableFuture<?> end) {
            this.loop = loop;
            this.moved = moved;
            this.end = end;
        }

        @Override
        public void run() {
            long now = moved.getAsLong();
            most = Math.max(most, now - before);
            before = now;
            turns++;
            if (!end.isDone()) {
                loop.execute(this);
            }
        }
    }

    /** Starts something on the loop, and looks at it once in each iteration until it has ended. */
    private static Turns watch(EventLoop loop, LongSupplier moved, Start start) {
        CompletableFuture<Turns> watched = new CompletableFuture<>();
        loop.execute(() -> {
            CompletableFuture<?> end = start.start();
            Turns turns = new Turns(loop, moved, end);
            loop.execute(turns);
            var unused = end.whenComplete((result, failure) -> loop.execute(() -> watched.complete(turns)));
        });
        return get(watched);
    }

    private interface Start {
        CompletableFuture<?> start();
    }

    private static void assertFair(Turns turns, long total, long most) {
        System.out.println(turns.turns + " turns, at most " + turns.most + " between two");
        assertTrue(turns.most <= most, () -> turns.most + " of " + total + " between two turns");
        assertTrue(turns.turns >= total / most, () -> turns.turns + " turns beside " + total);
    }

    private FileHandle file(EventLoop loop) {
        return closeLater(get(FileHandle.open(
                loop,
                folder.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)));
    }

    // r[verify io.turn]
    @Test
    void aLargeWriteToAFileLetsOthersHaveTheirTurn() {
        EventLoop loop = started();
        FileHandle file = file(loop);
        for (ByteBuffer buffer : List.of(ByteBuffer.allocateDirect(LARGE), ByteBuffer.allocate(LARGE))) {
            assertFair(watch(loop, buffer::position, () -> file.writeAllAsync(buffer)), LARGE, MAX);
            assertEquals(LARGE, buffer.position());
        }
    }

    // r[verify io.turn]
    @Test
    void aGatheringWriteLetsOthersHaveTheirTurn() {
        EventLoop loop = started();
        FileHandle file = file(loop);
        ByteBuffer[] parts = {ByteBuffer.allocateDirect(LARGE / 2), ByteBuffer.allocateDirect(LARGE / 2)};
        assertFair(
                watch(loop, () -> parts[0].position() + parts[1].position(), () -> file.writeAllAsync(parts)),
                LARGE,
                MAX);
    }

    // r[verify io.turn]
    @Test
    void aLargeReadFromAFileLetsOthersHaveTheirTurn() throws Exception {
        EventLoop loop = started();
        Files.write(folder.resolve("file"), new byte[LARGE]);
        FileHandle file = file(loop);
        ByteBuffer buffer = ByteBuffer.allocateDirect(LARGE);
        assertFair(watch(loop, buffer::position, () -> readFully(file, buffer)), LARGE, MAX);
        assertEquals(LARGE, buffer.position());
    }

    private static CompletableFuture<Boolean> readFully(StreamHandle from, ByteBuffer buffer) {
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        from.readSome(buffer, Operation.of(done -> {
            if (done.failure() == null && done.result() > 0 && buffer.hasRemaining()) {
                from.readSome(buffer, done);
            } else {
                end.complete(true);
            }
        }));
        return end;
    }

    // r[verify io.turn]
    @Test
    void aLargeWriteToASocketLetsOthersHaveTheirTurn() throws Exception {
        for (SocketAddress at : List.of(localFour(), AbstractSocketAddress.of("carillon-turn-" + System.nanoTime()))) {
            EventLoop loop = started();
            EventLoop other = started();
            ServerSocket server = closeLater(ServerSocket.bind(other, at));
            CompletableFuture<StreamSocket> accepted = server.acceptAsync();
            StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
            StreamSocket peer = closeLater(get(accepted));
            ByteBuffer sink = ByteBuffer.allocateDirect(LARGE);
            CompletableFuture<Boolean> read = readFully(peer, sink);
            ByteBuffer buffer = ByteBuffer.allocateDirect(LARGE);
            assertFair(watch(loop, buffer::position, () -> client.writeAllAsync(buffer)), LARGE, MAX);
            get(read);
            assertEquals(LARGE, sink.position());
        }
    }

    // r[verify io.turn]
    @Test
    void manyLargeWritesTogetherLetOthersHaveTheirTurn() {
        EventLoop loop = started();
        List<FileHandle> files = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();
        ByteBuffer content = ByteBuffer.allocateDirect(4 << 20);
        for (int i = 0; i < 16; i++) {
            files.add(file(loop));
            buffers.add(content.duplicate());
        }
        LongSupplier moved =
                () -> buffers.stream().mapToLong(ByteBuffer::position).sum();
        assertFair(
                watch(loop, moved, () -> {
                    CompletableFuture<?>[] all = new CompletableFuture<?>[16];
                    for (int i = 0; i < 16; i++) {
                        all[i] = files.get(i).writeAllAsync(buffers.get(i));
                    }
                    return CompletableFuture.allOf(all);
                }),
                64L << 20,
                MAX);
    }

    /** Each is small, but each is a system call. */
    // r[verify io.turn]
    @Test
    void manySmallWritesThatWaitInLineLetOthersHaveTheirTurn() {
        EventLoop loop = started();
        FileHandle file = file(loop);
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            buffers.add(ByteBuffer.allocate(1));
        }
        int[] written = new int[1];
        LongSupplier calls = () -> {
            while (written[0] < buffers.size() && !buffers.get(written[0]).hasRemaining()) {
                written[0]++;
            }
            return written[0];
        };
        assertFair(
                watch(loop, calls, () -> {
                    CompletableFuture<Boolean> end = new CompletableFuture<>();
                    for (ByteBuffer buffer : buffers) {
                        file.writeAll(buffer, Operation.of(done -> {
                            if (calls.getAsLong() == buffers.size()) {
                                end.complete(true);
                            }
                        }));
                    }
                    return end;
                }),
                buffers.size(),
                2_500);
    }
}
