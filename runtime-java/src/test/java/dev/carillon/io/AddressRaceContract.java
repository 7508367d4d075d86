package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.call.PollSet;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Connects to the first of several addresses, on a clock that stands still unless a test moves it. */
abstract class AddressRaceContract extends LoopCase {
    private static final Duration LONG = Duration.ofHours(1);
    private static final long HEAD_START = Duration.ofMillis(250).toNanos();

    private final AtomicLong clock = new AtomicLong(1);

    private EventLoop onThatClock() {
        EventLoop loop = open(options().clock(clock::get));
        loop.start();
        return loop;
    }

    private void pass(EventLoop loop, long nanos) {
        clock.addAndGet(nanos);
        loop.execute(() -> {});
    }

    /** A listener that has no room: it answers nobody. */
    private ServerSocket full(EventLoop loop) {
        ServerSocket full = closeLater(ServerSocket.bind(loop, localFour(), 0));
        closeLater(get(StreamSocket.connect(loop, full.localAddress(), LONG)));
        // Its one place may be taken a moment after the other side is connected.
        PollSet poll = Sys.get().pollSet(1);
        poll.set(0, full.number(), Constants.POLLIN);
        Deadline.after(LIMIT).await("its place is taken", () -> poll.now() != 0);
        return full;
    }

    private SocketAddress silent(EventLoop loop) {
        return full(loop).localAddress();
    }

    /** A port at which nobody listens, and which nobody else gets. */
    private SocketAddress refusing() {
        Socket taken = closeLater(new Socket());
        try {
            taken.bind(localFour());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return taken.getLocalSocketAddress();
    }

    private SocketAddress listening(EventLoop loop) {
        return closeLater(ServerSocket.bind(loop, localFour())).localAddress();
    }

    private static void awaitUnderWay(EventLoop loop, long attempts) {
        Deadline.after(LIMIT)
                .await(
                        attempts + " attempts are under way",
                        () -> on(loop, () -> loop.stats().pendingOperations() == attempts));
    }

    // r[verify io.race]
    @Test
    void anAddressThatRefusesCostsNoDelay() {
        EventLoop loop = onThatClock();
        SocketAddress live = listening(loop);
        List<SocketAddress> addresses = List.of(refusing(), refusing(), live);
        StreamSocket socket = closeLater(get(StreamSocket.connect(loop, addresses, LONG)));
        assertEquals(live, socket.remoteAddress());
        assertEquals(loop, socket.eventLoop());
    }

    // r[verify io.race]
    @Test
    void anAddressThatDoesNotAnswerHasAHeadStartOnly() {
        EventLoop loop = onThatClock();
        SocketAddress live = listening(loop);
        List<SocketAddress> addresses = List.of(silent(loop), live);
        Map<Integer, String> before = Descriptors.ofProgram();
        CompletableFuture<StreamSocket> connecting = StreamSocket.connect(loop, addresses, LONG);
        awaitUnderWay(loop, 1);
        pass(loop, HEAD_START - 1);
        awaitUnderWay(loop, 1);
        assertFalse(connecting.isDone(), "it began too early");
        pass(loop, 1);
        assertEquals(live, closeLater(get(connecting)).remoteAddress());
        awaitUnderWay(loop, 0);
        Deadline.after(LIMIT)
                .await(
                        "the other attempt has left nothing",
                        () -> Descriptors.openedSince(before).size() == 1);
    }

    // r[verify io.race]
    @Test
    void anEarlierAddressThatAnswersLateStillWins() {
        EventLoop loop = onThatClock();
        ServerSocket full = full(loop);
        CompletableFuture<StreamSocket> connecting =
                StreamSocket.connect(loop, List.of(full.localAddress(), silent(loop)), LONG);
        awaitUnderWay(loop, 1);
        pass(loop, HEAD_START);
        awaitUnderWay(loop, 2);
        get(full.acceptAsync()).close();
        assertEquals(full.localAddress(), closeLater(get(connecting)).remoteAddress());
        awaitUnderWay(loop, 0);
    }

    // r[verify io.race]
    @Test
    void whereAllFailEachFailureIsTold() {
        EventLoop loop = onThatClock();
        Throwable failure = failureOf(StreamSocket.connect(loop, List.of(refusing(), refusing()), LONG));
        assertInstanceOf(ConnectException.class, failure);
        assertMessage(failure, "none of the 2 attempts succeeded");
        assertEquals(2, failure.getSuppressed().length);
        assertInstanceOf(ConnectException.class, failure.getSuppressed()[1]);
        Throwable alone = failureOf(StreamSocket.connect(loop, List.of(refusing()), LONG));
        assertMessage(alone, "nobody listens there");
    }

    // r[verify io.race]
    @Test
    void theDeadlineEndsAllAttempts() {
        EventLoop loop = onThatClock();
        List<SocketAddress> silent = List.of(silent(loop), silent(loop), silent(loop));
        Map<Integer, String> before = Descriptors.ofProgram();
        CompletableFuture<StreamSocket> connecting =
                StreamSocket.connect(loop, silent, Duration.ofNanos(2 * HEAD_START));
        awaitUnderWay(loop, 1);
        pass(loop, HEAD_START);
        awaitUnderWay(loop, 2);
        pass(loop, HEAD_START);
        Throwable failure = failureOf(connecting);
        assertInstanceOf(SocketTimeoutException.class, failure);
        awaitUnderWay(loop, 0);
        Deadline.after(LIMIT)
                .await("nothing is left", () -> Descriptors.openedSince(before).isEmpty());
    }

    // r[verify io.race]
    @Test
    void aCancelEndsAllAttempts() {
        EventLoop loop = onThatClock();
        List<SocketAddress> addresses = List.of(silent(loop), silent(loop), listening(loop));
        Map<Integer, String> before = Descriptors.ofProgram();
        CompletableFuture<StreamSocket> connecting = StreamSocket.connect(loop, addresses, LONG);
        awaitUnderWay(loop, 1);
        pass(loop, HEAD_START);
        awaitUnderWay(loop, 2);
        connecting.cancel(false);
        awaitUnderWay(loop, 0);
        pass(loop, HEAD_START);
        awaitUnderWay(loop, 0);
        Deadline.after(LIMIT)
                .await("nothing is left", () -> Descriptors.openedSince(before).isEmpty());
    }

    // r[verify io.race]
    @Test
    void whatALoopFindsPostedWhenItEndsFails() {
        EventLoop neverRun = open();
        List<CompletableFuture<StreamSocket>> posted = List.of(
                StreamSocket.connect(neverRun, List.of(localFour(), localFour()), LONG),
                StreamSocket.connect(neverRun, "127.0.0.1", 80, LONG),
                StreamSocket.connect(neverRun, "localhost", 80, LONG));
        neverRun.close();
        posted.forEach(connecting -> assertInstanceOf(ClosedException.class, failureOf(connecting)));
    }

    // r[verify io.race]
    @Test
    void theEndOfTheLoopFailsIt() {
        EventLoop loop = onThatClock();
        CompletableFuture<StreamSocket> connecting =
                StreamSocket.connect(loop, List.of(silent(loop), silent(loop)), LONG);
        awaitUnderWay(loop, 1);
        loop.close();
        assertInstanceOf(ClosedException.class, failureOf(connecting));
        assertThrows(RejectedExecutionException.class, () -> StreamSocket.connect(loop, List.of(localFour()), LONG));
        assertThrows(RejectedExecutionException.class, () -> StreamSocket.connect(loop, "localhost", 80, LONG));
    }

    // r[verify io.lookup]
    @Test
    void aHostIsLookedUpOnAThreadOfItsOwn() {
        EventLoop loop = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        for (String host : List.of("localhost", "127.0.0.1")) {
            try (StreamSocket socket = get(StreamSocket.connect(loop, host, port, LIMIT))) {
                assertEquals(server.localAddress(), socket.remoteAddress());
            }
        }
        // A thread ends a second after its last look-up: whoever comes too late has to look another time.
        Deadline.after(LIMIT).await("a resolver is there after a look-up", () -> {
            get(StreamSocket.connect(loop, "localhost", port, LIMIT)).close();
            return Thread.getAllStackTraces().keySet().stream().anyMatch(AddressRaceContract::isResolver);
        });
    }

    private static boolean isResolver(Thread thread) {
        return thread.getName().startsWith("carillon-resolver-") && thread.isDaemon();
    }

    // r[verify io.race]
    @Test
    void aDeadlineTellsWhichAddressesHaveFailedBefore() {
        EventLoop loop = onThatClock();
        List<SocketAddress> addresses = List.of(refusing(), silent(loop), silent(loop));
        CompletableFuture<StreamSocket> connecting =
                StreamSocket.connect(loop, addresses, Duration.ofNanos(HEAD_START / 2));
        Deadline.after(LIMIT)
                .await(
                        "the second is under way",
                        () -> on(
                                loop,
                                () -> loop.stats().pendingOperations() == 1
                                        && loop.stats().operations().getOrDefault("CONNECT", 0L) >= 3));
        pass(loop, HEAD_START);
        Throwable failure = failureOf(connecting);
        assertMessage(failure, "of 3 addresses 1 have failed");
        assertMessage(failure, "1 have not answered, and 1 were not tried yet");
        assertInstanceOf(ConnectException.class, failure.getSuppressed()[0]);
    }

    // r[verify io.lookup]
    @Test
    void lookUpsThatHangHoldUpNoAddressNoDeadlineAndNoEndOfALoop() {
        EventLoop loop = started();
        EventLoop ending = started();
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        CountDownLatch end = new CountDownLatch(1);
        try {
            for (int i = 0; i < 16; i++) {
                HostLookup.run(() -> awaitUninterruptibly(end));
            }
            closeLater(get(StreamSocket.connect(loop, "127.0.0.1", port, LIMIT)));
            assertInstanceOf(ConnectException.class, failureOf(StreamSocket.connect(loop, "::1", port, LIMIT)));
            assertMessage(
                    failureOf(StreamSocket.connect(loop, "localhost", port, Duration.ofMillis(50))),
                    "no answer for that name");
            CompletableFuture<StreamSocket> left = StreamSocket.connect(ending, "localhost", port, LIMIT);
            ending.close();
            assertInstanceOf(ClosedException.class, failureOf(left));
            StreamSocket.connect(loop, "localhost", port, LIMIT).cancel(false);
        } finally {
            end.countDown();
        }
        closeLater(get(StreamSocket.connect(loop, "localhost", port, LIMIT)));
    }

    // r[verify io.lookup]
    @Test
    void anAddressIsToldFromAName() {
        for (String address : List.of("127.0.0.1", "255.255.255.255", "0.0.0.0", "::1", "fe80::1%lo", "1.2.3.249")) {
            assertTrue(HostLookup.isAddress(address), address);
        }
        for (String name : List.of("localhost", "1.2.3", "1.2.3.256", "1.2.3.4.5", "01x.2.3.4", "a.1.2.3")) {
            assertFalse(HostLookup.isAddress(name), name);
        }
        assertThrows(IllegalArgumentException.class, () -> HostLookup.literal("no:address", 80));
    }

    // r[verify io.lookup]
    @Test
    void aNameThatNobodyKnowsFailsWithWhatToDo() {
        EventLoop loop = started();
        CompletableFuture<StreamSocket> connecting = StreamSocket.connect(loop, "no such host", 80, LIMIT);
        Throwable failure = failureOf(connecting);
        assertInstanceOf(UnknownHostException.class, failure);
        assertMessage(failure, "host=no such host: no address is known");
    }

    @Test
    void whatCannotBeConnectedToIsRefusedAtTheCall() {
        EventLoop loop = started();
        assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, List.of(), LIMIT));
        assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, " ", 80, LIMIT));
        for (int port : new int[] {-1, 0, 65_536}) {
            assertThrows(IllegalArgumentException.class, () -> StreamSocket.connect(loop, "localhost", port, LIMIT));
        }
        SocketAddress unresolved = InetSocketAddress.createUnresolved("example", 80);
        assertThrows(
                IllegalArgumentException.class,
                () -> StreamSocket.connect(loop, List.of(localFour(), unresolved), LIMIT));
    }

    // r[verify io.lookup]
    @Test
    void theFamiliesTakeTurns() throws Exception {
        InetAddress six1 = InetAddress.getByName("2001:db8::1");
        InetAddress six2 = InetAddress.getByName("2001:db8::2");
        InetAddress six3 = InetAddress.getByName("2001:db8::3");
        InetAddress four1 = InetAddress.getByName("192.0.2.1");
        InetAddress four2 = InetAddress.getByName("192.0.2.2");
        List<InetAddress> found = List.of(four1, four2, six1, six2, six3);
        assertEquals(List.of(six1, four1, six2, four2, six3), HostLookup.ordered(found, false));
        assertEquals(List.of(four1, six1, four2, six2, six3), HostLookup.ordered(found, true));
        assertEquals(List.of(four1, four2), HostLookup.ordered(List.of(four1, four2), false));
    }
}
