package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What watching a peer takes, and that it is given back. */
final class LinkWatchTest {
    private static final int LINKS = 40;
    private static final Duration LONG = LIMIT.multipliedBy(20);

    /** A turn of the loop reads sixteen times, and each of that is sixteen reads of 512 bytes. */
    private static final int MORE_THAN_IS_READ_AT_ONCE = (16 * 16 + 1) * 512;

    /** Some end by a death, some by a close of the side that waits, some go over to a loop of their own. */
    @Test
    void linksThatWereWatchedLeaveNoDescriptor() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            waitAndEnd(0, loop);
            waitAndEnd(1, loop);
            int before = Descriptors.count();
            for (int i = 0; i < LINKS; i++) {
                waitAndEnd(i, loop);
            }
            Deadline.after(LIMIT).await("all are closed", () -> Descriptors.count() <= before);
        }
    }

    private static void waitAndEnd(int number, EventLoop loop) throws Exception {
        try (BareLink links = new BareLink()) {
            Waiting<Frame> waiting = Waiting.on(() -> links.host.receive(LONG));
            waiting.awaitAsleep();
            if (number % 3 == 0) {
                AsyncLink async = links.host.onLoop(loop);
                assertEquals(loop, async.loop());
            }
            if (number % 2 == 0) {
                links.tearOut(Side.GUEST);
                assertEquals(null, waiting.result());
            } else {
                links.host.close();
                assertTrue(waiting.ended() != null);
            }
        }
    }

    /**
     * The loop is held up until the peer is dead, so that one change announces both. Only what is read to its end shows the death,
     * however much was rung before: no second change announces what was left.
     */
    // r[verify shm.wait.all-transitions]
    @ParameterizedTest
    @ValueSource(ints = {0, 1, MORE_THAN_IS_READ_AT_ONCE})
    void aDeathBehindWhateverWasRungIsNoticed(int rings) throws Exception {
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        try (EventLoop loop = EventLoop.open().start();
                BareLink links = new BareLink()) {
            CompletableFuture<Frame> receiving = links.host.onLoop(loop).receiveAsync();
            awaitTasksOf(loop);
            try {
                loop.execute(goOn::join);
                ring(links.bell(Side.GUEST), rings);
                links.tearOut(Side.GUEST);
            } finally {
                goOn.complete(true);
            }
            assertEquals(null, Futures.get(receiving));
            assertEquals(PeerState.DEAD, links.host.peerState());
        }
    }

    /** It watches by now: it has done what it was told before, twice, since what it does may tell it more. */
    private static void awaitTasksOf(EventLoop loop) throws Exception {
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            loop.execute(() -> done.complete(true));
            assertTrue(Futures.get(done));
        }
    }

    /** So many at once, as a peer may do that does not ring by our calls. */
    private static void ring(Doorbell bell, int rings) {
        Sys sys = Sys.get();
        sys.sockets().setOption(bell.fd(), Constants.SOL_SOCKET, Constants.SO_SNDBUF, 4 * MORE_THAN_IS_READ_AT_ONCE);
        try (NativeBytes strokes = NativeBytes.allocate(sys.libc(), Math.max(1, rings))) {
            long sent = 0;
            while (sent < rings) {
                long result = sys.sockets().send(bell.fd(), strokes.address(), rings - sent);
                assertTrue(result > 0, "sent=" + sent + " result=" + result);
                sent += result;
            }
        }
    }

    @Test
    void noLoopKeepsALinkThatWasClosed() throws Exception {
        List<WeakReference<ShmLink>> closed = new ArrayList<>();
        try (EventLoop loop = EventLoop.open().start()) {
            for (int i = 0; i < 4; i++) {
                closed.add(closedAfterAWait(i, loop));
            }
            Deadline.after(LIMIT).await("they are collected", () -> {
                System.gc();
                return closed.stream().allMatch(link -> link.get() == null);
            });
        }
    }

    private static WeakReference<ShmLink> closedAfterAWait(int number, EventLoop loop) throws Exception {
        try (BareLink links = new BareLink()) {
            if (number % 2 == 0) {
                assertEquals(null, links.host.receive(Duration.ofMillis(1)));
            } else {
                links.host.onLoop(loop).receiveAsync().cancel(true);
            }
            return new WeakReference<>(links.host);
        }
    }
}
