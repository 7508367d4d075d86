package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What watching a peer takes, and that it is given back. */
final class LinkWatchTest {
    private static final int LINKS = 40;
    private static final Duration LONG = LIMIT.multipliedBy(20);

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
