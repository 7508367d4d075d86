package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a loop tells about itself. */
abstract class LoopObservabilityContract extends LoopCase {
    // r[verify loop.observability]
    @Test
    void statisticsCountWhatHappened() {
        EventLoop loop = open();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        loop.runUntilEmpty();
        loop.execute(() -> {});
        loop.schedule(Duration.ZERO, () -> {});
        loop.schedule(Duration.ofHours(1), () -> {});
        pair.get(0).writeSome(ByteBuffer.allocate(1), Operation.of(done -> {}));
        pair.get(0).readSome(ByteBuffer.allocate(1), Operation.of(done -> {}));
        loop.execute(() -> {
            throw new IllegalStateException("planted");
        });
        loop.runUntilEmpty();
        LoopStats stats = loop.stats();
        assertEquals(2, stats.tasks());
        assertEquals(1, stats.timers());
        assertEquals(1, stats.pendingTimers());
        assertEquals(1, stats.pendingOperations());
        assertEquals(1, stats.operations().get("WRITE"));
        assertEquals(0, stats.operations().get("READ"));
        assertEquals(1, stats.failures());
        assertTrue(stats.iterations() > 0);
    }

    // r[verify loop.observability]
    @Test
    void theLongestCallbackIsKnown() {
        long began = System.nanoTime();
        EventLoop loop = started();
        on(loop, () -> {
            busy(Duration.ofMillis(30));
            return true;
        });
        Deadline.after(LIMIT)
                .await("it is measured", () -> loop.stats().longestCallback().compareTo(Duration.ofMillis(30)) >= 0);
        long longest = loop.stats().longestCallback().toNanos();
        assertTrue(longest <= System.nanoTime() - began, "it is longer than the test");
    }

    // r[verify loop.observability]
    @Test
    void theWatchdogNamesTheCallbackThatBlocks() {
        EventLoop loop = open(options().blockedAfter(Duration.ofMillis(200)));
        loop.start();
        // A loop whose thread stands still on its way to the poll is reported, and rightly so. Then it tries again.
        Deadline.after(LIMIT).await("a loop that polls is not reported", () -> {
            on(loop, () -> true);
            awaitParked(loop);
            errors.clear();
            return !Deadline.after(Duration.ofMillis(500)).poll(() -> !errors.isEmpty());
        });
        CountDownLatch release = new CountDownLatch(1);
        loop.execute(() -> blockingCallback(release));
        Deadline.after(LIMIT).await("it is reported", () -> !errors.isEmpty());
        assertFalse(Deadline.after(Duration.ofMillis(500)).poll(() -> errors.size() > 1), "reported twice");
        release.countDown();
        BlockedCallbackException report = assertInstanceOf(BlockedCallbackException.class, errors.peek());
        assertTrue(Stream.of(report.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("blockingCallback")));
        assertMessage(report, loop.name());
    }

    private static void blockingCallback(CountDownLatch release) {
        LoopCase.awaitUninterruptibly(release);
    }

    // r[verify loop.observability]
    @Test
    void flightRecordingsHaveWakeupsSlowIterationsAndFailures(@TempDir Path folder) throws IOException {
        EventLoop loop = open(options().slowIteration(Duration.ofMillis(5)).name("recorded"));
        loop.start();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        Path file = folder.resolve("loop.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("dev.carillon.LoopWakeup");
            recording.enable("dev.carillon.LoopIteration");
            recording.enable("dev.carillon.OperationFailed");
            recording.start();
            awaitParked(loop);
            on(loop, () -> {
                busy(Duration.ofMillis(10));
                return true;
            });
            get(pair.get(1).closeAsync());
            failureOf(pair.get(0).writeSomeAsync(ByteBuffer.allocate(1)));
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        for (String name : List.of("LoopWakeup", "LoopIteration", "OperationFailed")) {
            assertTrue(
                    events.stream()
                            .anyMatch(event -> event.getEventType().getName().equals("dev.carillon." + name)
                                    && event.getString("loop").equals("recorded")),
                    name);
        }
        assertTrue(Files.size(file) > 0);
    }

    @Test
    void blockingCallsOfOursFailOnALoopThread() {
        EventLoop loop = started();
        IllegalStateException failure = on(
                loop,
                () -> assertThrows(
                        IllegalStateException.class, () -> Sys.get().pollSet(1).await()));
        assertMessage(failure, "would block the event loop");
    }

    private static void busy(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
