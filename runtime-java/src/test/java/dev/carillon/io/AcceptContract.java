package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Seccomp;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SyscallNumbers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Accepting while the kernel refuses: its errors are made by a filter on the thread of the loop. */
// r[verify io.accept]
abstract class AcceptContract extends LoopCase {
    /** The time between two reports of a pause. */
    private static final long QUIET = TimeUnit.SECONDS.toNanos(10);

    private ServerSocket refusing(EventLoop loop, int errno) {
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        on(loop, () -> {
            Seccomp.refuseHere(Sys.get().libc(), errno, SyscallNumbers.ACCEPT4);
            return null;
        });
        return server;
    }

    private long iterationsIn300Milliseconds(EventLoop loop) throws InterruptedException {
        long before = loop.stats().iterations();
        CountDownLatch fired = new CountDownLatch(1);
        loop.schedule(Duration.ofMillis(300), fired::countDown);
        assertTrue(fired.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        return loop.stats().iterations() - before;
    }

    @Test
    void whereTheKernelLacksMemoryAcceptingPausesAndReportsOnce() throws Exception {
        for (int errno : new int[] {Errno.ENOMEM, Errno.ENOBUFS, Errno.EMFILE, Errno.ENFILE}) {
            errors.clear();
            EventLoop loop = started();
            ServerSocket server = refusing(loop, errno);
            long began = System.nanoTime();
            CompletableFuture<StreamSocket> accepting = server.acceptAsync();
            long iterations = iterationsIn300Milliseconds(loop);
            assertTrue(iterations < 100, () -> "iterations=" + iterations);
            assertFalse(accepting.isDone());
            assertMessage(errors.peek(), "pauses");
            for (int i = 0; i < 100; i++) {
                accepting.cancel(false);
                accepting = server.acceptAsync();
            }
            on(loop, () -> null);
            // More than one only on a machine that needed ten seconds for this.
            long most = 1 + (System.nanoTime() - began) / QUIET;
            assertTrue(errors.size() <= most, errors::toString);
            // Its next report would be counted among those of the next loop.
            loop.close();
        }
    }

    @Test
    void whatBecameOfOneConnectionFailsNoAccept() throws Exception {
        for (int errno : new int[] {Errno.EPROTO, Errno.ECONNABORTED, Errno.ENONET, Errno.EHOSTUNREACH, Errno.EPERM}) {
            EventLoop loop = started();
            CompletableFuture<StreamSocket> accepting = refusing(loop, errno).acceptAsync();
            long iterations = iterationsIn300Milliseconds(loop);
            assertTrue(iterations < 100, () -> "iterations=" + iterations);
            assertFalse(accepting.isDone(), () -> "errno=" + errno);
        }
        assertEquals(List.of(), List.copyOf(errors));
    }
}
