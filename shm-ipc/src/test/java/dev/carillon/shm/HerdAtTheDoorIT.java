package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many guests connect at once, more than a host has places: all of them come in. */
// r[verify shm.attach.socket] r[verify shm.attach.crowd]
final class HerdAtTheDoorIT {
    private static final int HERD = 100;
    private static final int BURST = 60;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();
    private final List<SocketChannel> channels = new ArrayList<>();
    private ShmHost host;
    private Path directory;

    @BeforeEach
    void openHost() {
        directory = folder.resolve("host");
        host = ShmHost.create(
                directory,
                HostConfig.builder()
                        .loop(loop)
                        .link(LinkConfig.builder().ring(4).withoutSlots().build())
                        .onGuest((link, guest) -> link.close())
                        .build());
    }

    @AfterEach
    void closeHost() throws Exception {
        for (SocketChannel each : channels) {
            each.close();
        }
        host.close();
        loop.close();
    }

    private SocketChannel connected() throws Exception {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channels.add(channel);
        channel.connect(UnixDomainSocketAddress.of(directory.resolve("socket")));
        return channel;
    }

    private void assertAllComeIn() throws Exception {
        CountDownLatch ready = new CountDownLatch(HERD);
        ExecutorService threads = Executors.newFixedThreadPool(HERD);
        try {
            List<Future<Integer>> guests = new ArrayList<>();
            for (int i = 0; i < HERD; i++) {
                guests.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    try (ShmLink link = ShmGuest.connect(directory, LIMIT)) {
                        return link.peerId();
                    }
                }));
            }
            for (Future<Integer> each : guests) {
                assertTrue(each.get(LIMIT.toSeconds(), TimeUnit.SECONDS) > 0);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aHundredThreadsThatConnectAtOnceAllComeIn() throws Exception {
        assertAllComeIn();
    }

    @Test
    void theyComeInBesideAHundredThatSayNothing() throws Exception {
        for (int i = 0; i < HERD; i++) {
            connected();
        }
        assertAllComeIn();
    }

    /** So many that the host does not let all of them in at a time. */
    @Test
    void theyComeInBehindAThousandThatSayNothing() throws Exception {
        for (int i = 0; i < 10 * HERD; i++) {
            connected();
        }
        assertAllComeIn();
    }

    /** What lies in the buffer of a socket is said. */
    @Test
    void aHelloThatTheHostHasNotReadYetIsNoSilence() throws Exception {
        Halt halt = new Halt();
        try {
            for (int i = 0; i < BURST; i++) {
                connected().write(AttachMessage.hello());
            }
        } finally {
            halt.end();
        }
        for (SocketChannel each : channels) {
            assertWelcome(each);
            // It leaves its place to the next one.
            each.close();
        }
    }

    /** As of a machine that was suspended. */
    @Test
    void aHostThatStoodStillReadsWhatWasSaidBeforeItLooksAtTheTime() throws Exception {
        long began = System.nanoTime();
        SocketChannel guest = connected();
        // It has been let in then.
        assertWelcomed();
        Halt halt = new Halt();
        while (System.nanoTime() - began >= GuestHello.TIME.toNanos()) {
            // This thread stood still, and the time of that guest may be over.
            halt.end();
            began = System.nanoTime();
            guest = connected();
            assertWelcomed();
            halt = new Halt();
        }
        try {
            guest.write(AttachMessage.hello());
            // A timer that is due after that of the host.
            CompletableFuture<Boolean> isOver = new CompletableFuture<>();
            EventLoop.shared().schedule(GuestHello.TIME.plusMillis(100), () -> isOver.complete(true));
            assertTrue(Futures.get(isOver));
        } finally {
            halt.end();
        }
        assertWelcome(guest);
    }

    private void assertWelcomed() throws Exception {
        ShmGuest.connect(directory, LIMIT).close();
    }

    private static void assertWelcome(SocketChannel guest) throws Exception {
        ByteBuffer hello = AttachMessage.hello();
        ByteBuffer answer = ByteBuffer.allocate(AttachMessage.ANSWER_BYTES).order(hello.order());
        assertEquals(AttachMessage.ANSWER_BYTES, Deadline.call(LIMIT, () -> guest.read(answer)));
        assertEquals(AttachMessage.Verdict.WELCOME, AttachMessage.verdict(answer));
    }

    /** The loop of the host does nothing until its end. */
    private final class Halt {
        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();

        Halt() {
            loop.execute(() -> {
                begun.complete(true);
                Deadline.after(LIMIT).await("it goes on", () -> end.getCount() == 0);
            });
            assertTrue(Futures.get(begun));
        }

        void end() {
            end.countDown();
        }
    }
}
