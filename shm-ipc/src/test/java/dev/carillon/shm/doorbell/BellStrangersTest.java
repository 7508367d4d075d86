package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.shm.doorbell.DoorbellEvent.TIMEOUT;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who has the other end, or a copy of ours, means harm: no read, ring or close takes longer for it. */
// r[verify shm.doorbell.strangers]
final class BellStrangersTest {
    /** Nobody waits so long, and a machine that stands still for some seconds is not taken for it. */
    private static final Duration LINGER = Duration.ofSeconds(60);

    private final Sys sys = Sys.get();
    private final DoorbellPair pair = Doorbell.pair();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        pair.close();
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    /** Sends a byte, and a TCP socket whose last close lasts as long as its linger does; the result of the send. */
    private long passLingering(int through) throws Exception {
        ServerSocketChannel deaf =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        opened.add(deaf);
        int port = ((InetSocketAddress) deaf.getLocalAddress()).getPort();
        try (Fd lingering = sys.sockets().open(Constants.AF_INET, Constants.SOCK_STREAM);
                NativeBytes memory = NativeBytes.allocate(sys.libc(), 1 << 16)) {
            int number = lingering.acquire();
            memory.bytes().putShort(0, (short) Constants.AF_INET);
            memory.bytes()
                    .put(2, (byte) (port >> 8))
                    .put(3, (byte) port)
                    .put(4, (byte) 127)
                    .put(7, (byte) 1);
            sys.sockets().connect(number, memory.address(), 16);
            SocketChannel accepted = deaf.accept();
            opened.add(accepted);
            long sent;
            do {
                sent = sys.sockets().send(number, memory.address(), 1 << 16);
            } while (sent > 0);
            memory.bytes().putInt(0, 1).putInt(4, (int) LINGER.toSeconds());
            assertEquals(
                    0,
                    sys.libc()
                            .setsockopt(
                                    number,
                                    Constants.SOL_SOCKET,
                                    Constants.SO_LINGER,
                                    memory.address(),
                                    2 * Integer.BYTES));
            long result;
            try {
                result = sys.descriptorMessage(1).send(through, memory.address(), 1, number);
            } catch (dev.carillon.SyscallException refused) {
                result = -refused.errno();
            }
            if (result < 0) {
                // Nobody else has it: its close must not last here either.
                memory.bytes().putInt(0, 0);
                sys.libc().setsockopt(number, Constants.SOL_SOCKET, Constants.SO_LINGER, memory.address(), 8);
            }
            lingering.release();
            return result;
        }
    }

    private static <T> T undisturbed(Callable<T> action) throws Exception {
        long began = System.nanoTime();
        T result = action.call();
        long took = System.nanoTime() - began;
        assertTrue(took < LINGER.toNanos() / 2, () -> "it took " + took / 1_000_000 + " ms");
        return result;
    }

    /** A copy of the guest's end, as a child inherits it, through which a descriptor came before it was adopted. */
    private int inheritedWithGift() throws Exception {
        int copy = sys.descriptors().duplicateFrom(pair.guest().fd(), 0).acquire();
        sys.sockets().setOption(copy, Constants.SOL_SOCKET, 83, 1);
        assertEquals(1, passLingering(pair.host().fd()));
        pair.guest().close();
        return copy;
    }

    @Test
    void anEndOfAPairTakesNoDescriptors() throws Exception {
        long result = passLingering(pair.host().fd());
        assertEquals(result < 0 ? TIMEOUT : RUNG, undisturbed(() -> pair.guest().poll()));
        assertTrue(result == 1 || result == -Errno.EPERM, "result=" + result);
        pair.host().ring();
        assertEquals(RUNG, pair.guest().await(Bells.LIMIT));
    }

    @Test
    void whatWasPassedToAnAdoptedEndIsClosedElsewhere() throws Exception {
        try (Doorbell adopted = Doorbell.adopt(inheritedWithGift())) {
            assertEquals(RUNG, undisturbed(() -> adopted.await(Duration.ofSeconds(1))));
            assertEquals(TIMEOUT, undisturbed(() -> adopted.await(Duration.ofMillis(1))));
            pair.host().ring();
            pair.host().close();
            assertEquals(RUNG, adopted.await(Bells.LIMIT));
            assertEquals(PEER_GONE, adopted.await(Bells.LIMIT));
        }
    }

    @Test
    void aLoopIsNotHeldUp() throws Exception {
        try (EventLoop loop = EventLoop.open().start()) {
            AsyncDoorbell adopted = Doorbell.adopt(inheritedWithGift()).onLoop(loop);
            undisturbed(() -> get(adopted.awaitEventAsync()));
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            loop.execute(() -> done.complete(true));
            undisturbed(() -> get(done));
        }
    }

    @Test
    void closingUnreadIsNotHeldUp() throws Exception {
        Doorbell adopted = Doorbell.adopt(inheritedWithGift());
        undisturbed(() -> {
            adopted.close();
            return true;
        });
    }

    // r[verify shm.doorbell.signal]
    @Test
    void anEndThatSomebodyMadeBlockNeitherBlocksItsReaderNorWhoRings() throws Exception {
        sys.descriptors().setNonBlocking(pair.guest().fd(), false);
        sys.descriptors().setNonBlocking(pair.host().fd(), false);
        assertEquals(TIMEOUT, Deadline.call(Bells.LIMIT, () -> pair.guest().poll()));
        Deadline.call(Bells.LIMIT, () -> {
            for (int i = 0; i < 20_000; i++) {
                assertEquals(RingResult.RUNG, pair.host().ring());
            }
            return true;
        });
        assertEquals(RUNG, Deadline.call(Bells.LIMIT, () -> pair.guest().poll()));
    }
}
