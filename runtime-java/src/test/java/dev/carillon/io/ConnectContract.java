package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.SyscallException;
import dev.carillon.io.backend.SocketFailures;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that do not come about, and addresses that cannot be used. */
abstract class ConnectContract extends LoopCase {
    // r[verify io.connect]
    @Test
    void aRefusedConnectionSaysSoByItsType(@TempDir Path folder) {
        EventLoop loop = started();
        ServerSocket gone = ServerSocket.bind(loop, localFour());
        SocketAddress address = gone.localAddress();
        get(gone.closeAsync());
        Throwable failure = failureOf(StreamSocket.connect(loop, address));
        assertInstanceOf(ConnectException.class, failure);
        assertMessage(failure, "nobody listens");
        assertInstanceOf(
                ConnectException.class,
                failureOf(StreamSocket.connect(loop, UnixDomainSocketAddress.of(folder.resolve("nobody")))));
    }

    // r[verify io.connect]
    @Test
    void anUnreachableAddressSaysSoByItsType() throws Exception {
        EventLoop loop = started();
        InetAddress global = InetAddress.getByName("2001:db8::1");
        Throwable failure =
                failureOf(StreamSocket.connect(loop, new InetSocketAddress(global, 9), Duration.ofMillis(300)));
        // A machine with a way out gives no answer instead.
        assertTrue(
                failure instanceof NoRouteToHostException || failure instanceof SocketTimeoutException,
                failure::toString);
    }

    @Test
    void everyErrnoOfAConnectHasItsType() {
        SocketAddress address = localFour();
        assertInstanceOf(ConnectException.class, SocketFailures.connect(111, address));
        assertInstanceOf(NoRouteToHostException.class, SocketFailures.connect(101, address));
        assertInstanceOf(NoRouteToHostException.class, SocketFailures.connect(113, address));
        assertInstanceOf(SocketTimeoutException.class, SocketFailures.connect(110, address));
        assertInstanceOf(SyscallException.class, SocketFailures.connect(13, address));
        assertInstanceOf(
                SyscallException.class, SocketFailures.connect(111, address).getCause());
    }

    // r[verify io.connect]
    @Test
    void aFullUnixBacklogIsTriedAgainUntilThereIsRoom(@TempDir Path folder) {
        EventLoop loop = started();
        ServerSocket server =
                closeLater(ServerSocket.bind(loop, UnixDomainSocketAddress.of(folder.resolve("full")), 0));
        List<CompletableFuture<StreamSocket>> connecting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            connecting.add(StreamSocket.connect(loop, server.localAddress()));
        }
        on(loop, () -> true);
        assertTrue(connecting.stream().anyMatch(future -> !future.isDone()), "the backlog was never full");
        for (int i = 0; i < 8; i++) {
            get(server.acceptAsync()).close();
        }
        for (CompletableFuture<StreamSocket> future : connecting) {
            get(future).close();
        }
    }

    // r[verify io.connect]
    @Test
    void aFullUnixBacklogIsTriedUntilTheDeadlineOnly(@TempDir Path folder) {
        EventLoop loop = started();
        ServerSocket server =
                closeLater(ServerSocket.bind(loop, UnixDomainSocketAddress.of(folder.resolve("full")), 0));
        StreamSocket first = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        assertTrue(first.isOpen());
        Throwable failure = failureOf(StreamSocket.connect(loop, server.localAddress(), Duration.ofMillis(120)));
        assertInstanceOf(SocketTimeoutException.class, failure);
        assertEquals(0L, on(loop, () -> loop.stats().pendingOperations()));
    }

    @Test
    void aCancelledConnectClosesItsSocket(@TempDir Path folder) {
        EventLoop loop = started();
        ServerSocket server =
                closeLater(ServerSocket.bind(loop, UnixDomainSocketAddress.of(folder.resolve("full")), 0));
        closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        CompletableFuture<StreamSocket> waiting = StreamSocket.connect(loop, server.localAddress());
        waiting.cancel(false);
        dev.carillon.test.Deadline.after(LIMIT)
                .await("nothing waits", () -> on(loop, () -> loop.stats().pendingOperations() == 0));
    }

    @Test
    void anAddressInUseIsAClearFailure() {
        EventLoop loop = open();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        SyscallException failure =
                assertThrows(SyscallException.class, () -> ServerSocket.bind(loop, server.localAddress()));
        assertEquals("EADDRINUSE", failure.errnoName());
    }

    @Test
    void namesThatAreTooLongAndAddressesOfNoUseAreRefusedAtTheCall() {
        EventLoop loop = open();
        SocketAddress tooLong = UnixDomainSocketAddress.of("/tmp/" + "x".repeat(103));
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> ServerSocket.bind(loop, tooLong)), "108 bytes");
        assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, tooLong));
        assertThrows(
                IllegalArgumentException.class,
                () -> StreamSocket.connect(loop, AbstractSocketAddress.of("x".repeat(108))));
        assertMessage(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> StreamSocket.connect(loop, InetSocketAddress.createUnresolved("example", 80))),
                "not resolved");
        assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, new SocketAddress() {}));
    }

    @Test
    void aNameThatWasNotFoundIsReportedAsSuch() {
        EventLoop loop = open();
        // What the constructor gives that looks a name up and does not find it.
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 80);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, unknown));
        assertMessage(refused, "no-such-host.invalid");
        assertMessage(refused, "could not be looked up");
    }

    // r[verify loop.no-leak]
    @Test
    void anErrorOfTheVmBeforeAConnectIsUnderWayLeavesNoDescriptor() {
        boolean[] planted = new boolean[1];
        EventLoop loop = open(options().clock(() -> {
            if (planted[0]) {
                throw new OutOfMemoryError("planted");
            }
            return System.nanoTime();
        }));
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        SocketAddress at = server.localAddress();
        planted[0] = true;
        // Each that stays open is found when the class has ended.
        for (int i = 0; i < 10; i++) {
            assertThrows(OutOfMemoryError.class, () -> StreamSocket.connect(loop, at));
            assertThrows(
                    OutOfMemoryError.class,
                    () -> StreamSocket.connect(loop, at, Duration.ofSeconds(1), Operation.of(done -> {})));
        }
        planted[0] = false;
    }
}
