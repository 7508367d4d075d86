package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watches whose loop ends: whoever waits for one of them has to go elsewhere. */
abstract class WatchEndContract extends LoopCase {
    private static final int HURRIED = 3_000;
    private static final int SPINS = 10_000;

    private final Sys sys = Sys.get();
    private final List<Fd> ends = new ArrayList<>();

    @BeforeEach
    void openPipe() {
        ends.addAll(List.of(sys.descriptors().pipe(true)));
    }

    @AfterEach
    void closePipe() {
        ends.forEach(Fd::close);
    }

    private int readEnd() {
        int number = ends.get(0).acquire();
        ends.get(0).release();
        return number;
    }

    private void write() {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        int number = ends.get(1).acquire();
        assertEquals(1, sys.descriptors().write(number, sys.libc().addressOf(one), 1));
        ends.get(1).release();
    }

    private void assertTold(EventLoop loop, CompletableFuture<Throwable> told) {
        assertInstanceOf(ClosedException.class, get(told));
        assertMessage(get(told), "watch of fd=" + readEnd());
        assertMessage(get(told), loop.name());
    }

    // r[verify io.watch]
    @Test
    void whoAsksIsToldThatTheLoopEnds() {
        EventLoop loop = started();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        loop.watch(readEnd(), () -> {}, told::complete);
        on(loop, () -> true);
        assertFalse(told.isDone());
        loop.close();
        assertTold(loop, told);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.watch]
    @Test
    void whoAsksIsToldThatAnErrorEndsTheLoop() {
        EventLoop loop = open();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        loop.watch(readEnd(), () -> {}, told::complete);
        loop.execute(() -> {
            throw new InternalError("planted");
        });
        assertThrows(InternalError.class, () -> loop.run(RunMode.STOPPED));
        assertTold(loop, told);
    }

    /** It was accepted, and the loop comes to it when it watches nothing any more. */
    // r[verify io.watch] r[verify io.closed-loop]
    @Test
    void aWatchThatWouldBeginWhileTheLoopEndsIsToldSo() {
        EventLoop loop = open();
        CompletableFuture<Throwable> before = new CompletableFuture<>();
        loop.watch(readEnd(), () -> {}, before::complete);
        CompletableFuture<Throwable> meanwhile = new CompletableFuture<>();
        loop.execute(() -> meanwhile.complete(assertThrows(
                RejectedExecutionException.class, () -> loop.watch(readEnd(), () -> {}, meanwhile::complete))));
        loop.close();
        assertTold(loop, before);
        assertMessage(get(meanwhile), "stopping");
        assertThrows(RejectedExecutionException.class, () -> loop.watch(readEnd(), () -> {}, before::complete));
    }

    // r[verify io.watch]
    @Test
    void itIsToldOnceAndWhatItThrowsKeepsNoOtherFromBeingTold() {
        EventLoop loop = open();
        Queue<Throwable> told = new ConcurrentLinkedQueue<>();
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            loop.watch(readEnd(), calls::incrementAndGet, failure -> {
                told.add(failure);
                throw new IllegalStateException("planted");
            });
        }
        Watch closed = loop.watch(readEnd(), calls::incrementAndGet, told::add);
        loop.watch(readEnd(), calls::incrementAndGet);
        loop.runUntilEmpty();
        closed.close();
        int before = calls.get();
        write();
        loop.close();
        assertEquals(5, told.size());
        assertEquals(5, errors.size());
        assertEquals(before, calls.get());
    }

    /** The number is closed then: a loop that still used it would find none, or another's. */
    // r[verify io.watch-number]
    @Test
    void aWatchThatIsClosedWhileItBeginsUsesItsNumberNoMore() {
        EventLoop loop = started();
        for (int i = 0; i < HURRIED; i++) {
            try (Fd copy = sys.descriptors().duplicateFrom(ends.get(0).acquire(), 0)) {
                ends.get(0).release();
                int number = copy.acquire();
                copy.release();
                Watch watch = loop.watch(number, () -> {});
                for (int turn = 0; turn < i * 7 % SPINS; turn++) {
                    Thread.onSpinWait();
                }
                watch.close();
            }
        }
        on(loop, () -> true);
        assertTrue(errors.isEmpty(), errors::toString);
    }

    // r[verify io.watch]
    @Test
    void aServiceThatClosesItsWatchIsToldNothing() {
        EventLoop loop = started();
        Queue<Throwable> told = new ConcurrentLinkedQueue<>();
        Watch watch = loop.watch(readEnd(), () -> {}, told::add);
        loop.register(watch::close);
        on(loop, () -> true);
        loop.close();
        assertTrue(told.isEmpty(), told::toString);
    }
}
