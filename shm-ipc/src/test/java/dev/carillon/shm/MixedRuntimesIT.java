package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host in one JDK with guests in another one and in C at the same time. */
final class MixedRuntimesIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final long FRAMES = STRESS ? 500_000 : 20_000;

    /** All processes count alike. */
    private static final String FLAG = "-Dcarillon.stress=" + STRESS;

    private static final long ON_CHANNELS = FRAMES / 10;

    /** Tells a guest in Java that channels come next. */
    private static final long CHANNELS = -1;

    /** A whole frame of the largest class may be under way on a channel. */
    private static final LinkConfig LINK = LinkConfig.builder().window(1 << 20).build();

    @TempDir
    private Path folder;

    // r[verify shm.header] r[verify shm.channel] r[verify shm.death.told]
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void framesAndChannelsGoBothWaysAndOneOfEachKindIsKilled(boolean hostOnTheSecond) throws Exception {
        Jdk second = Jdk.second().orElse(Jdk.current());
        Jdk hosts = hostOnTheSecond ? second : Jdk.current();
        Jdk guests = hostOnTheSecond ? Jdk.current() : second;
        GuestInC inC = GuestInC.compile(folder);
        Path command = folder.resolve("command");
        Files.write(command, ChildJvm.of(Guest.class).jdk(guests).vmFlags(FLAG).command());
        ChildExit exit = ChildJvm.of(Host.class)
                .jdk(hosts)
                .vmFlags(FLAG)
                .args(command.toString(), inC.program().toString(), folder.toString())
                .run(LIMIT.multipliedBy(3));
        String outputs = exit + output("java") + output("C");
        assertEquals(0, exit.code(), outputs);
        exit.assertPrinted("host on " + hosts.feature());
        exit.assertPrinted("all as it should be");
        assertTrue(output("java").contains("guest on " + guests.feature()), outputs);
        assertTrue(output("C").contains("attached as guest"), outputs);
    }

    private String output(String name) throws IOException {
        Path file = folder.resolve(name + ".out");
        return "\n" + name + ":\n" + (Files.exists(file) ? Files.readString(file) : "nothing");
    }

    /** Has guests of both kinds. */
    static final class Host {
        private final EventLoop loop = EventLoop.open().start();
        private final BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();
        private final ShmHost host =
                ShmHost.create(HostConfig.builder().loop(loop).build());
        private final List<String> java;
        private final List<String> inC;
        private final Path folder;

        private Host(List<String> java, List<String> inC, Path folder) {
            this.java = java;
            this.inC = inC;
            this.folder = folder;
        }

        public static void main(String[] args) throws Exception {
            System.out.println("host on " + Runtime.version().feature());
            List<String> java = Files.readAllLines(Path.of(args[0]));
            try {
                new Host(java, List.of(args[1]), Path.of(args[2])).run();
                System.out.println("all as it should be");
                System.exit(0);
            } catch (Exception | AssertionError failure) {
                failure.printStackTrace();
                System.exit(1);
            }
        }

        private void run() throws Exception {
            host.onPeerDeath(deaths::add);
            List<Linked> all = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                all.add(Linked.of(this, true));
                all.add(Linked.of(this, false));
            }
            List<Waiting<Boolean>> exchanges = new ArrayList<>();
            for (Linked each : all) {
                exchanges.add(Waiting.on(() -> each.exchange(FRAMES)));
            }
            for (Waiting<Boolean> each : exchanges) {
                require(each.result(), "an exchange");
            }
            Waiting<Boolean> undisturbed = Waiting.on(() -> all.get(0).exchange(FRAMES));
            all.get(3).isKilled(deaths);
            require(undisturbed.result(), "beside the death of a guest in C");
            undisturbed = Waiting.on(() -> all.get(1).exchange(FRAMES));
            all.get(2).isKilled(deaths);
            require(undisturbed.result(), "beside the death of a guest in Java");
            for (boolean isJava : new boolean[] {true, false}) {
                Linked next = Linked.of(this, isJava);
                require(next.exchange(FRAMES), "with the one that comes after it");
                next.leaves();
            }
            all.get(0).leaves();
            all.get(1).leaves();
            require(deaths.isEmpty(), "more deaths: " + deaths);
            host.close();
            loop.close();
        }

        private Child spawn(PeerTicket ticket, boolean isJava) {
            Path out = folder.resolve(isJava ? "java.out" : "C.out");
            Spawn.Builder command = Spawn.command(isJava ? java : inC)
                    .stdin(Stdio.nothing())
                    .stdout(Stdio.append(out))
                    .stderr(Stdio.append(out));
            return host.spawn(command, ticket, loop);
        }
    }

    /** One guest, as the host has it. */
    private record Linked(PeerTicket ticket, ShmLink link, Child child, boolean isJava) {
        static Linked of(Host host, boolean isJava) {
            PeerTicket ticket = host.host.addPeer(LINK);
            return new Linked(ticket, ticket.link(), host.spawn(ticket, isJava), isJava);
        }

        private boolean exchange(long count) throws Exception {
            MixedFrames.exchange(link, 0, count);
            if (isJava) {
                require(link.send(Frame.of(1, CHANNELS, LinkPair.bytes(0, 0)), LONG) == SendResult.SENT, "channels");
                useChannels(link, link.openChannel(), true);
            }
            return true;
        }

        /** In the midst of traffic. What it has published is received, and nothing else. */
        void isKilled(BlockingQueue<PeerDeath> deaths) throws Exception {
            try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_ONLY)) {
                int head = LINK.layout().toHost().head();
                long before = memory.bytes().getLongAcquire(head);
                Waiting<Long> sending = Waiting.on(() -> MixedFrames.send(link, 0, Long.MAX_VALUE));
                long some = MixedFrames.receive(link, 0, 5_000);
                require(child.kill(), "it was alive");
                long all = some + MixedFrames.receive(link, some, Long.MAX_VALUE);
                long published = memory.bytes().getLongAcquire(head) - before;
                require(all == published, all + " frames of " + published);
                require(sending.result() >= all, "more than were sent");
            }
            PeerDeath death = Objects.requireNonNull(deaths.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "not told");
            require(death.link() == link && death.pid() == child.pid(), "another one: " + death);
            require(link.peerState() == PeerState.DEAD, "it is dead: " + link);
            Futures.get(child.exit());
            link.close();
        }

        void leaves() {
            link.close();
            String exit = Futures.get(child.exit()).toString();
            require(exit.equals("exit code 0"), exit);
        }
    }

    /** Frames on one channel there and back, and on another one from guest to host. */
    private static void useChannels(ShmLink link, ShmChannel mine, boolean isHost) throws Exception {
        ShmChannel theirs = Objects.requireNonNull(link.acceptChannel(LONG), "no channel");
        Waiting<Long> other = Waiting.on(() -> isHost ? receive(theirs) : send(mine));
        Waiting<Long> sending = Waiting.on(() -> isHost ? send(mine) : 0L);
        long count = isHost ? receive(mine) : sendBack(theirs);
        require(count == ON_CHANNELS && other.result() == ON_CHANNELS, "all came: " + count + ", " + other.result());
        sending.result();
        (isHost ? theirs : mine).close();
        if (!isHost) {
            require(mine.receive(LONG) == null && mine.hasEnded(), "the end of the second channel");
        }
    }

    private static long send(ShmChannel channel) throws InterruptedException {
        for (long id = 0; id < ON_CHANNELS; id++) {
            SendResult result = channel.send(MixedFrames.frame(id), LONG);
            require(result == SendResult.SENT, id + ": " + result);
        }
        channel.close();
        return ON_CHANNELS;
    }

    private static long receive(ShmChannel channel) throws InterruptedException {
        long id = 0;
        for (Frame frame = channel.receive(LONG); frame != null; frame = channel.receive(LONG)) {
            MixedFrames.check(frame, id++);
        }
        require(channel.hasEnded(), "it ended: " + channel);
        return id;
    }

    private static long sendBack(ShmChannel channel) throws InterruptedException {
        long count = 0;
        for (Frame frame = channel.receive(LONG); frame != null; frame = channel.receive(LONG)) {
            SendResult result = channel.send(frame, LONG);
            require(result == SendResult.SENT, result + " for " + frame + " on " + channel);
            count++;
        }
        channel.close();
        return count;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
    }

    /** Sends back what comes, and uses channels when it is told to, until its host leaves. */
    static final class Guest {
        private static boolean channels;

        public static void main(String[] args) throws Exception {
            System.out.println("guest on " + Runtime.version().feature());
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                while (link.awaitData(LONG)) {
                    link.poll(frame -> take(link, frame), 1);
                    if (channels) {
                        channels = false;
                        useChannels(link, link.openChannel(), false);
                    }
                }
                require(link.peerState() == PeerState.GONE, "a goodbye: " + link);
            }
            System.exit(0);
        }

        private static void take(ShmLink link, Frame frame) {
            channels = frame.id() == CHANNELS;
            try {
                require(channels || link.send(frame, LONG) == SendResult.SENT, "the host is there: " + link);
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
        }
    }
}
