package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.sys.Feature;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One side lacks a call that the other one has: the profile of its container hides it, or forbids it. */
final class RefusedCallsIT {
    private static final long FRAMES = 2_000;

    private static final long WINDOW = 300_000;

    /** Waits for entries, slots and credit are frequent. */
    private static final LinkConfig NARROW = LinkConfig.builder()
            .ring(4)
            .slots(1_024, 2)
            .slots(16_384, 1)
            .slots(256 * 1_024, 1)
            .window(WINDOW)
            .build();

    @TempDir
    private static Path shared;

    private static Path launcher = Path.of("never");
    private static GuestInC inC = new GuestInC(launcher, launcher);

    @BeforeAll
    static void compile() throws IOException {
        inC = GuestInC.compile(shared);
        launcher = CProgram.compile(shared, "refuse", GuestInC.resource("refuse.c"));
    }

    private static List<String> behind(Path launcher, String errno, String call, List<String> command) {
        List<String> all = new ArrayList<>(List.of(launcher.toString(), errno, call));
        all.addAll(command);
        return all;
    }

    private static Child spawn(ShmHost host, PeerTicket ticket, EventLoop loop, List<String> command, Path out) {
        return host.spawn(
                Spawn.command(command)
                        .stdin(Stdio.nothing())
                        .stdout(Stdio.append(out))
                        .stderr(Stdio.append(out)),
                ticket,
                loop);
    }

    // r[verify shm.wakeup.fallback] r[verify shm.wait.all-transitions]
    @ParameterizedTest
    @CsvSource({
        "ENOSYS, futex",
        "EPERM, futex",
        "ENOSYS, pidfd_open",
        "EPERM, pidfd_open",
        "ENOSYS, memfd_create",
        "EPERM, memfd_create"
    })
    void aGuestInCIsServedAsEver(String errno, String call) throws Exception {
        Path out = shared.resolve("C-" + errno + call);
        try (EventLoop loop = EventLoop.open().start();
                ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(NARROW);
            List<String> command =
                    behind(launcher, errno, call, List.of(inC.program().toString()));
            Child child = spawn(host, ticket, loop, command, out);
            MixedFrames.exchange(ticket.link(), 0, FRAMES);
            AsyncLink onLoop = ticket.link().onLoop(loop);
            for (long id = 0; id < 100; id++) {
                Futures.get(onLoop.sendAsync(MixedFrames.frame(id)));
                MixedFrames.check(Objects.requireNonNull(Futures.get(onLoop.receiveAsync())), id);
            }
            ticket.link().close();
            String end = Futures.get(child.exit()) + "\n" + Files.readString(out);
            assertTrue(end.startsWith("exit code 0\n"), end);
            assertEquals(call.equals("futex"), end.contains("there are no futexes"), end);
        }
    }

    // r[verify shm.wakeup.fallback] r[verify shm.wait.all-transitions]
    @ParameterizedTest
    @CsvSource({
        "ENOSYS, shared-futex",
        "EPERM, shared-futex",
        "ENOSYS, pidfd_open",
        "EPERM, pidfd_open",
        "ENOSYS, memfd_create",
        "EPERM, memfd_create"
    })
    void aGuestInJavaIsServedAsEver(String errno, String call) throws Exception {
        Path out = shared.resolve("Java-" + errno + call);
        try (EventLoop loop = EventLoop.open().start();
                ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(NARROW);
            ShmLink link = ticket.link();
            List<String> command = ChildJvm.of(Guest.class).args(feature(call)).command();
            Child child = spawn(host, ticket, loop, behind(launcher, errno, call, command), out);
            MixedFrames.exchange(link, 0, FRAMES);
            useChannel(link);
            AsyncLink onLoop = link.onLoop(loop);
            for (long id = 0; id < 100; id++) {
                Futures.get(onLoop.sendAsync(MixedFrames.frame(id)));
                MixedFrames.check(Objects.requireNonNull(Futures.get(onLoop.receiveAsync())), id);
            }
            link.close();
            String end = Futures.get(child.exit()) + "\n" + Files.readString(out);
            assertTrue(end.startsWith("exit code 0\n"), end);
            assertTrue(end.contains(feature(call) + " is not available: " + feature(call) + " failed: " + errno), end);
        }
    }

    private static String feature(String call) {
        return call.equals("shared-futex") ? "futex" : call;
    }

    /** Waits for credit, there and here. */
    private static void useChannel(ShmLink link) throws Exception {
        ShmChannel channel = link.openChannel();
        for (long id = 0; id < 50; id++) {
            assertEquals(SendResult.SENT, channel.send(MixedFrames.frame(id), LONG));
            assertEquals(CreditResult.GRANTED, channel.awaitCredit(WINDOW, LONG), "all of it again");
            MixedFrames.check(Objects.requireNonNull(channel.receive(LONG)), id);
        }
        Waiting<Long> sending = Waiting.on(() -> {
            for (long id = 0; id < FRAMES; id++) {
                assertEquals(SendResult.SENT, channel.send(MixedFrames.frame(id), LONG));
            }
            return FRAMES;
        });
        for (long id = 0; id < FRAMES; id++) {
            MixedFrames.check(Objects.requireNonNull(channel.receive(LONG)), id);
        }
        assertEquals(FRAMES, sending.result());
        channel.close();
    }

    // r[verify shm.wait.all-transitions]
    @ParameterizedTest
    @CsvSource({"ENOSYS, shared-futex", "ENOSYS, pidfd_open", "EPERM, pidfd_open"})
    void aGuestNoticesThatItsHostWasKilled(String errno, String call) throws Exception {
        Path out = shared.resolve("killed-" + errno + call);
        try (ChildProcess host = ChildJvm.of(Host.class)
                .args(launcher.toString(), errno, call, out.toString())
                .start()) {
            host.awaitLine("a frame came back", LIMIT);
            host.send("KILL");
            host.awaitExit(LIMIT);
            Deadline.after(LIMIT)
                    .await("the guest says so: " + out, () -> read(out).contains("the host is DEAD"));
        }
    }

    private static String read(Path out) {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            return e.toString();
        }
    }

    // r[verify shm.wakeup.fallback] r[verify shm.death.told]
    @ParameterizedTest
    @CsvSource({"ENOSYS, shared-futex", "EPERM, shared-futex", "ENOSYS, pidfd_open", "EPERM, pidfd_open"})
    void aHostServesItsGuestsAndIsToldOfTheirDeath(String errno, String call) throws Exception {
        Path out = shared.resolve("host-" + errno + call);
        ChildExit exit = ChildJvm.of(RefusedHost.class)
                .prefix(launcher.toString(), errno, call)
                .args(inC.program().toString(), out.toString())
                .run(LIMIT.multipliedBy(3));
        assertEquals(0, exit.code(), () -> exit + read(out));
        exit.assertPrinted("Java: frames came back, its death was told");
        exit.assertPrinted("C: frames came back, its death was told");
    }

    /** This process has them. */
    // r[verify shm.wakeup.fallback]
    @ParameterizedTest
    @ValueSource(strings = {"ENOSYS", "EPERM"})
    void aHostWithoutFutexesWakesAGuestThatSleepsOnThem(String errno) throws Exception {
        Path directory = shared.resolve("door-" + errno);
        try (ChildProcess host = ChildJvm.of(EchoingHost.class)
                .prefix(launcher.toString(), errno, "shared-futex")
                .args(directory.toString())
                .start()) {
            host.awaitLine("open, futex is not available", LIMIT);
            try (ShmLink link = ShmGuest.connect(directory, LIMIT)) {
                MixedFrames.exchange(link, 0, FRAMES);
                useChannel(link);
            }
            ChildExit exit = host.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
        }
    }

    // r[verify shm.attach.validate]
    @ParameterizedTest
    @ValueSource(strings = {"ENOSYS", "EPERM"})
    void aHostWithoutMemfdsSaysSoAndHasLinksInFiles(String errno) throws Exception {
        Path out = shared.resolve("files-" + errno);
        ChildExit exit = ChildJvm.of(HostInFiles.class)
                .prefix(launcher.toString(), errno, "memfd_create")
                .args(shared.resolve("host-" + errno).toString(), out.toString())
                .run(LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), () -> exit + read(out));
        String said = exit.stdout().get(0);
        assertTrue(said.contains("memfd_create failed: " + errno), said);
        assertTrue(said.contains("HostConfig.inFiles"), said);
        exit.assertPrinted("frames came back");
    }

    /** Sends back what comes, on a channel too, until its host leaves or dies. */
    static final class Guest {
        public static void main(String[] args) throws Exception {
            System.out.println(Feature.valueOf(args[0].toUpperCase(Locale.ROOT)).availability());
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                serve(link);
                System.out.println("the host is " + link.peerState());
            }
            System.exit(0);
        }

        /** First plain frames, then those of a channel, and then plain ones again. */
        static void serve(ShmLink link) throws InterruptedException {
            if (sendsBack(link, FRAMES) == FRAMES) {
                ShmChannel channel = link.acceptChannel(LONG);
                while (channel != null && !channel.hasEnded()) {
                    Frame frame = channel.receive(LONG);
                    if (frame != null) {
                        channel.send(frame, LONG);
                    }
                }
                if (channel != null) {
                    channel.close();
                }
            }
            sendsBack(link, Long.MAX_VALUE);
        }

        private static long sendsBack(ShmLink link, long most) throws InterruptedException {
            long count = 0;
            while (count < most && link.awaitData(LONG)) {
                count += link.poll(frame -> sendBack(link, frame), 1);
            }
            return count;
        }

        private static void sendBack(ShmLink link, Frame frame) {
            try {
                link.send(frame, LONG);
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
        }
    }

    /** Has a guest behind a launcher, and waits to be killed. */
    static final class Host {
        public static void main(String[] args) throws Exception {
            List<String> command =
                    ChildJvm.of(Guest.class).args(feature(args[2])).command();
            try (EventLoop loop = EventLoop.open().start();
                    ShmHost host = ShmHost.create()) {
                PeerTicket ticket = host.addPeer(NARROW);
                spawn(host, ticket, loop, behind(Path.of(args[0]), args[1], args[2], command), Path.of(args[3]));
                MixedFrames.exchange(ticket.link(), 0, 1);
                System.out.println("a frame came back");
                Thread.currentThread().join();
            }
        }
    }

    /** Runs behind a launcher itself, and so do its guests. */
    static final class RefusedHost {
        public static void main(String[] args) throws Exception {
            BlockingQueue<PeerDeath> deaths = new LinkedBlockingQueue<>();
            try (EventLoop loop = EventLoop.open().start();
                    ShmHost host =
                            ShmHost.create(HostConfig.builder().loop(loop).build())) {
                host.onPeerDeath(deaths::add);
                for (boolean isJava : new boolean[] {true, false}) {
                    PeerTicket ticket = host.addPeer(NARROW);
                    List<String> command =
                            isJava ? ChildJvm.of(Guest.class).args("futex").command() : List.of(args[0]);
                    Child child = spawn(host, ticket, loop, command, Path.of(args[1]));
                    MixedFrames.exchange(ticket.link(), 0, FRAMES / 2);
                    Waiting<Frame> receiving = Waiting.on(() -> ticket.link().receive(LONG));
                    child.kill();
                    PeerDeath death =
                            Objects.requireNonNull(deaths.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "not told");
                    boolean told = death.link() == ticket.link() && death.pid() == child.pid();
                    boolean ended = receiving.result() == null;
                    System.out.println((isJava ? "Java" : "C") + ": frames came back, its death was "
                            + (told && ended ? "told" : "not told: " + death));
                    ticket.link().close();
                }
            }
            System.exit(0);
        }
    }

    /** Its guest comes by its socket. */
    static final class EchoingHost {
        public static void main(String[] args) throws Exception {
            BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();
            HostConfig config = HostConfig.builder()
                    .link(NARROW)
                    .onGuest((link, guest) -> arrived.add(link))
                    .build();
            try (ShmHost host = ShmHost.create(Path.of(args[0]), config)) {
                System.out.println("open, " + Feature.FUTEX.availability() + host);
                Guest.serve(arrived.take());
            }
            System.exit(0);
        }
    }

    static final class HostInFiles {
        public static void main(String[] args) throws Exception {
            try (ShmHost host = ShmHost.create()) {
                System.out.println(host.addPeer(NARROW));
            } catch (SyscallException refused) {
                System.out.println(refused.getMessage());
            }
            HostConfig config = HostConfig.builder().inFiles().build();
            try (EventLoop loop = EventLoop.open().start();
                    ShmHost host = ShmHost.create(Path.of(args[0]), config)) {
                PeerTicket ticket = host.addPeer(NARROW);
                List<String> command =
                        ChildJvm.of(Guest.class).args("memfd_create").command();
                Child child = spawn(host, ticket, loop, command, Path.of(args[1]));
                MixedFrames.exchange(ticket.link(), 0, FRAMES / 2);
                System.out.println("frames came back");
                ticket.link().close();
                Futures.get(child.exit());
            }
            System.exit(0);
        }
    }
}
