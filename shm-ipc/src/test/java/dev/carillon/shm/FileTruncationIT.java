package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Jdk;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The memory of a link is a file, and somebody truncates it: the link ends with a reason, the VM goes on. */
// r[verify shm.attach.validate]
final class FileTruncationIT {
    private static final Duration TIME = LIMIT.multipliedBy(6);

    @TempDir
    private Path folder;

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).distinct();
    }

    private void assertRuns(Class<?> program, Jdk jdk, String told) {
        ChildExit exit = ChildJvm.of(program)
                .jdk(jdk)
                .workingDirectory(folder)
                .args(folder.resolve("host").toString())
                .run(TIME);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted(told);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachCallOnALinkWhoseFileWasTruncatedFailsWithAReason(Jdk jdk) {
        assertRuns(Calls.class, jdk, "all calls were refused");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachWaitOnALinkWhoseFileIsTruncatedEndsWithAReason(Jdk jdk) {
        assertRuns(Waits.class, jdk, "all waits have ended");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aTruncationInTheMidstOfTrafficEndsTheLinkForBothSides(Jdk jdk) {
        assertRuns(Traffic.class, jdk, "all links have ended");
    }

    private static void awaitNoMoreThan(int before) {
        Deadline.after(LIMIT).await("all is closed", () -> Descriptors.count() <= before);
    }

    /** Something that a program does with a link. */
    private interface Use {
        @Nullable
        Object with(ShmLink link) throws Exception;
    }

    private static Map.Entry<String, Use> named(String name, Use use) {
        return Map.entry(name, use);
    }

    /** Both ends of a link in a file. */
    private static final class FilePair implements AutoCloseable {
        static final LinkConfig SMALL = LinkConfig.builder()
                .ring(8)
                .slots(1024, 2)
                .slots(8192, 4)
                .channels(8)
                .build();

        final PeerTicket ticket;
        final ShmLink host;
        final ShmLink guest;
        private final Path file;

        FilePair(ShmHost by, Path directory) {
            ticket = by.addPeer(SMALL);
            host = ticket.link();
            guest = LinkPair.attach(ticket);
            file = directory.resolve("link-" + host.peerId());
        }

        static ShmHost host(Path directory) {
            return ShmHost.create(directory, HostConfig.builder().inFiles().build());
        }

        void truncate(long size) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(size);
            }
        }

        @Override
        public void close() {
            guest.close();
            host.close();
            ticket.close();
        }
    }

    private static void ensureTold(String what, @Nullable Throwable failure) {
        boolean told = failure instanceof IllegalStateException
                && failure.toString().contains("has failed and carries nothing any more: TRUNCATED")
                && failure.toString().contains("have the host make another one");
        if (!told) {
            throw new IllegalStateException(what + ": " + failure, failure);
        }
    }

    private static @Nullable Throwable failureOf(Callable<?> call) {
        try {
            System.out.println("no failure: " + call.call());
            return null;
        } catch (Exception | Error failure) {
            return failure;
        }
    }

    static final class Calls {
        private static final Map<String, Use> USES = new TreeMap<>(Map.ofEntries(
                named("trySend", link -> link.trySend(text("x"))),
                named("trySend in a slot", link -> link.trySend(Frame.of(1, 1, bytes(5000, 1)))),
                named("send", link -> link.send(text("x"), LIMIT)),
                named("sendAndRing", link -> link.sendAndRing(text("x"))),
                named("sendBatch", link -> link.sendBatch(2, (i, frame) -> frame.begin(1, 0, i, 2000))),
                named("tryClaim", link -> link.tryClaim(5000)),
                named("awaitClaim", link -> link.awaitClaim(10, LIMIT)),
                named("poll", link -> link.poll(frame -> {}, 4)),
                named("poll and read", link -> link.poll(frame -> frame.copy(), 4)),
                named("receive", link -> link.receive(LIMIT)),
                named("awaitData", link -> link.awaitData(LIMIT)),
                named("awaitSpace", link -> link.awaitSpace(LIMIT)),
                named("openChannel", ShmLink::openChannel),
                named("acceptChannel", link -> link.acceptChannel(NO_TIME)),
                named("shared sender", link -> link.sharedSender().trySend(text("x"))),
                named("a peer state and then trySend", link -> {
                    System.out.println(link.peerState() + " " + link);
                    return link.trySend(text("x"));
                })));

        public static void main(String[] args) throws Exception {
            int before = 0;
            Path directory = Path.of(args[0]);
            long page = 4096;
            for (int round = 0; round < 2; round++) {
                // Classes and the shared loop come in the first round.
                before = Descriptors.count();
                try (ShmHost host = FilePair.host(directory)) {
                    for (Map.Entry<String, Use> each : USES.entrySet()) {
                        for (long size :
                                new long[] {0, page, FilePair.SMALL.layout().total() / page * page - page}) {
                            use(host, directory, each, size, false);
                            use(host, directory, each, size, true);
                        }
                    }
                }
            }
            awaitNoMoreThan(before);
            System.out.println("all calls were refused");
            System.exit(0);
        }

        private static void use(ShmHost host, Path directory, Map.Entry<String, Use> use, long size, boolean guests)
                throws Exception {
            try (FilePair pair = new FilePair(host, directory)) {
                ShmLink link = guests ? pair.guest : pair.host;
                ShmLink other = guests ? pair.host : pair.guest;
                for (int i = 0; i < 3; i++) {
                    other.trySend(Frame.of(1, i, bytes(2000 * i, i)));
                }
                pair.truncate(size);
                String what = use.getKey() + " on " + link + " of " + size + " bytes";
                ensureTold(what, failureOf(() -> use.getValue().with(link)));
                ensureTold("again " + what, failureOf(() -> use.getValue().with(link)));
                if (link.peerState() != PeerState.GONE) {
                    throw new IllegalStateException(what + ": " + link);
                }
                if (use.getKey().equals("poll")) {
                    System.out.println(failureOf(() -> use.getValue().with(link)));
                }
            }
        }
    }

    static final class Waits {
        private static final Duration LONG = LIMIT.multipliedBy(20);

        private static final Map<String, Use> USES = new TreeMap<>(Map.ofEntries(
                named("receive", link -> link.receive(LONG)),
                named("awaitData", link -> link.awaitData(LONG)),
                named("acceptChannel", link -> link.acceptChannel(LONG)),
                named("channel receive", link -> link.openChannel().receive(LONG)),
                named("channel credit", link -> link.openChannel().awaitCredit(64, LONG)),
                named("send", link -> {
                    BareLink.fill(link);
                    return link.send(text("x"), LONG);
                }),
                named("send in a slot", link -> {
                    fillSlots(link);
                    return link.send(Frame.of(1, 1, bytes(5000, 1)), LONG);
                }),
                named("claim", link -> {
                    fillSlots(link);
                    return link.awaitClaim(5000, LONG);
                }),
                named("shared sender", link -> {
                    BareLink.fill(link);
                    return link.sharedSender().send(text("x"), LONG);
                }),
                named("awaitSpace", link -> {
                    BareLink.fill(link);
                    return link.awaitSpace(LONG);
                })));

        private static void fillSlots(ShmLink link) {
            int sent = 0;
            while (link.trySend(Frame.of(1, 1, bytes(5000, 1))) == SendResult.SENT) {
                sent++;
            }
            System.out.println("slots: " + sent);
        }

        public static void main(String[] args) throws Exception {
            int before = 0;
            Path directory = Path.of(args[0]);
            try (EventLoop loop = EventLoop.open().start()) {
                for (int round = 0; round < 2; round++) {
                    before = Descriptors.count();
                    try (ShmHost host = FilePair.host(directory)) {
                        for (Map.Entry<String, Use> each : USES.entrySet()) {
                            await(host, directory, each, 0);
                            await(host, directory, each, 4096);
                        }
                        awaitOnLoop(host, directory, loop, 0);
                        awaitOnLoop(host, directory, loop, 4096);
                    }
                }
                awaitNoMoreThan(before);
                System.out.println("all waits have ended");
            }
            System.exit(0);
        }

        private static void await(ShmHost host, Path directory, Map.Entry<String, Use> use, long size)
                throws Exception {
            try (FilePair pair = new FilePair(host, directory)) {
                Waiting<@Nullable Object> waiting =
                        Waiting.on(() -> use.getValue().with(pair.host));
                waiting.awaitAsleep();
                pair.truncate(size);
                ensureTold(use.getKey(), waiting.ended());
            }
        }

        private static void awaitOnLoop(ShmHost host, Path directory, EventLoop loop, long size) throws Exception {
            try (FilePair pair = new FilePair(host, directory)) {
                BareLink.fill(pair.host);
                AsyncLink async = pair.host.onLoop(loop);
                var receiving = async.receiveAsync();
                var sending = async.sendAsync(text("x"));
                var handling = pair.guest.onLoop(loop).onFrames(frame -> {});
                Deadline.after(LIMIT)
                        .await("the guest receives", () -> pair.guest.stats().framesReceived() > 0);
                pair.truncate(size);
                ensureTold("receiveAsync", Futures.failureOf(receiving));
                Throwable sent = failureOf(() -> Futures.get(sending));
                if (sent != null) {
                    ensureTold("sendAsync", Futures.failureOf(sending));
                }
                ensureTold("onFrames", Futures.failureOf(handling));
            }
        }
    }

    static final class Traffic {
        private static final int LINKS = 20;

        public static void main(String[] args) throws Exception {
            int before = 0;
            try (ShmHost host = FilePair.host(Path.of(args[0]))) {
                for (int i = 0; i < LINKS; i++) {
                    before = i == 1 ? Descriptors.count() : before;
                    end(host, Path.of(args[0]), i);
                }
                awaitNoMoreThan(before);
                System.out.println("all links have ended");
            }
            System.out.println(MemoryRegion.stats());
            System.exit(0);
        }

        private static void end(ShmHost host, Path directory, int number) throws Exception {
            try (FilePair pair = new FilePair(host, directory)) {
                AtomicInteger received = new AtomicInteger();
                List<Waiting<Object>> all = new ArrayList<>();
                for (ShmLink link : List.of(pair.host, pair.guest)) {
                    all.add(Waiting.on(() -> {
                        for (int i = 0; ; i++) {
                            ensureSent(link.send(Frame.of(1, i, bytes(i % 5 == 0 ? 3000 : 50, i)), LIMIT));
                        }
                    }));
                    all.add(Waiting.on(() -> {
                        for (; ; ) {
                            link.awaitData(LIMIT);
                            received.addAndGet(link.poll(frame -> frame.copy(), 8));
                        }
                    }));
                }
                int enough = 200 * (number + 1);
                Deadline.after(LIMIT).await("frames have come", () -> received.get() > enough);
                pair.truncate(number % 2 == 0 ? 0 : 4096);
                for (Waiting<Object> each : all) {
                    Throwable failure = each.ended();
                    // JDK 17 may tell a fault of compiled code so late that no call of the link takes it.
                    if (!(failure instanceof InternalError)) {
                        ensureTold("link " + number, failure);
                    }
                }
                ensureTold("after it", failureOf(() -> pair.host.trySend(text("x"))));
                ensureTold("after it", failureOf(() -> pair.guest.receive(LIMIT)));
            }
        }

        private static void ensureSent(SendResult result) {
            if (result != SendResult.SENT) {
                throw new IllegalArgumentException("sent: " + result);
            }
        }
    }
}
