package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Exceptional events: urgent data, and files of the kernel that tell of pressure. */
abstract class PriorityContract extends LoopCase {
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");

    // r[verify io.priority]
    @Test
    void urgentDataIsAnExceptionalEventAndOrdinaryDataIsNot() throws IOException {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        InetSocketAddress at = (InetSocketAddress) server.localAddress();
        try (Socket peer = new Socket(at.getAddress(), at.getPort());
                StreamSocket socket = get(accepted)) {
            CompletableFuture<?> urgent = socket.pollPriorityAsync();
            long before = on(loop, () -> loop.stats().iterations());
            awaitParked(loop);
            peer.getOutputStream().write('x');
            Deadline.after(LIMIT)
                    .await("the loop has seen it", () -> loop.stats().iterations() > before + 1);
            assertFalse(urgent.isDone(), "an ordinary byte has ended the wait");
            peer.sendUrgentData('!');
            get(urgent);
            assertEquals(1, get(socket.readSomeAsync(ByteBuffer.allocate(8))));
        }
    }

    // r[verify io.priority]
    @Test
    void aTriggerOfPressureIsToldEachTimeAlsoBetweenTwoWaits() throws Exception {
        Assumptions.assumeTrue(Files.isWritable(PRESSURE), PRESSURE + " cannot be written to here");
        EventLoop loop = started();
        FileHandle file =
                closeLater(get(FileHandle.open(loop, PRESSURE, StandardOpenOption.READ, StandardOpenOption.WRITE)));
        // 1 ms of waiting for a processor within two seconds; the kernel wants a byte behind the text.
        ByteBuffer trigger = ByteBuffer.wrap("some 1000 2000000\0".getBytes(StandardCharsets.US_ASCII));
        get(file.writeAllAsync(trigger));
        try (Crowd crowd = new Crowd()) {
            get(file.pollPriorityAsync());
            // Now nobody waits while the next one comes.
            long before = on(loop, () -> loop.stats().iterations());
            Deadline.after(LIMIT).await("the loop was told", () -> loop.stats().iterations() > before + 1);
            crowd.end();
            get(file.pollPriorityAsync());
        }
    }

    /** More threads than processors, all of which have work. */
    private static final class Crowd implements AutoCloseable {
        private final AtomicBoolean ends = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Crowd() {
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
                Thread thread = new Thread(this::work, "crowd-" + i);
                threads.add(thread);
                thread.start();
            }
        }

        private void work() {
            while (!ends.get()) {
                Thread.onSpinWait();
            }
        }

        void end() {
            ends.set(true);
        }

        @Override
        public void close() {
            end();
            threads.forEach(LoopCase::joinUninterruptibly);
        }
    }
}
