package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.shm.doorbell.DoorbellPair;
import dev.carillon.shm.doorbell.RingResult;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Jdk;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A link to a guest that is another VM. */
final class LinkProcessesIT {
    private static final int FRAMES = 20_000;
    private static final int LONGEST = 3_000;

    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).slots(1024, 2).slots(4096, 1).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).distinct();
    }

    private Child spawn(ShmHost host, PeerTicket ticket, Jdk jdk, Class<?> guest) {
        Spawn.Builder command = Spawn.command(ChildJvm.of(guest).jdk(jdk).command())
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
        return host.spawn(command, ticket, loop);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void assertEndsWell(Child child) {
        assertEquals("exit code 0", Futures.get(child.exit()).toString(), this::output);
    }

    private Frame receive(ShmLink link) throws InterruptedException {
        return Objects.requireNonNull(link.receive(LONG), this::output);
    }

    // r[verify shm.wakeup.producer-wait] r[verify shm.wakeup.consumer-wait]
    @ParameterizedTest
    @MethodSource("jdks")
    void aRingOfFourThatAChildFillsIsDrainedByItsHostFrameByFrame(Jdk jdk) throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            ShmLink link = ticket.link();
            Child child = spawn(host, ticket, jdk, Sender.class);
            for (int i = 0; i < FRAMES; i++) {
                Frame frame = receive(link);
                assertEquals(i, frame.id());
                assertEquals(bytes(i % LONGEST, i), frame.payload(), () -> "frame " + frame);
            }
            assertNull(link.receive(LONG), "after the goodbye");
            assertEquals(PeerState.GONE, link.peerState());
            assertEndsWell(child);
        }
    }

    // r[verify shm.wakeup.slot-wait]
    @ParameterizedTest
    @MethodSource("jdks")
    void aChildAnswersEachFrameAndLeavesWhenItsHostDoes(Jdk jdk) throws Exception {
        Child child;
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            ShmLink link = ticket.link();
            child = spawn(host, ticket, jdk, Echo.class);
            for (int i = 0; i < FRAMES / 4; i++) {
                Frame sent = Frame.of(i % 100, i, bytes(i % LONGEST, i));
                assertEquals(SendResult.SENT, link.send(sent, LONG), this::output);
                Frame received = receive(link);
                assertEquals(i, received.id());
                assertEquals(sent.payload(), received.payload());
            }
            assertEquals(PeerState.ATTACHED, link.peerState());
        }
        Deadline.after(LIMIT).await("the guest has left", () -> !child.isAlive());
        assertEndsWell(child);
    }

    // r[verify shm.attach.once]
    @Test
    void aGuestThatAttachesTwiceIsToldAndItsLinkStaysWhole() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, Jdk.current(), Twice.class);
            assertEquals(7, receive(ticket.link()).id());
            assertEndsWell(child);
        }
    }

    // r[verify shm.attach.once]
    @Test
    void aGuestThatAttachesAgainInAnotherCopyOfTheLibraryIsToldAndItsLinkStaysWhole() throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(SMALL);
            Child child = spawn(host, ticket, Jdk.current(), TwoCopies.class);
            assertEquals(8, receive(ticket.link()).id());
            assertEndsWell(child);
        }
    }

    /** Sends as fast as the host receives, and then says goodbye. */
    static final class Sender {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                for (int i = 0; i < FRAMES; i++) {
                    SendResult result = link.send(Frame.of(1, i, bytes(i % LONGEST, i)), LONG);
                    if (result != SendResult.SENT) {
                        throw new IllegalStateException(i + ": " + result);
                    }
                }
            }
        }
    }

    /** Answers until its host says goodbye. */
    static final class Echo {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                Frame frame = link.receive(LONG);
                while (frame != null) {
                    link.send(frame, LONG);
                    frame = link.receive(LONG);
                }
                if (link.peerState() != PeerState.GONE) {
                    throw new IllegalStateException("the host is " + link.peerState());
                }
            }
        }
    }

    /** Has the library a second time, as a container of applications does. */
    static final class TwoCopies {
        public static void main(String[] args) throws Exception {
            try (ShmLink link = ShmGuest.attachFromEnvironment();
                    URLClassLoader other = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
                Throwable refused = assertThrows(
                                InvocationTargetException.class,
                                () -> other.loadClass(ShmGuest.class.getName())
                                        .getMethod("attachFromEnvironment")
                                        .invoke(null))
                        .getCause();
                if (!String.valueOf(refused).contains("has attached with these descriptors already")) {
                    throw new IllegalStateException(refused);
                }
                link.send(Frame.of(1, 8, bytes(1, 0)), LONG);
            }
        }

        private static URL[] classPath() throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        }
    }

    /** Attaches again, opens something that would get the number of a bell that was closed, and uses the link. */
    static final class Twice {
        public static void main(String[] args) throws IOException {
            ShmLink link = ShmGuest.attachFromEnvironment();
            for (int i = 0; i < 2; i++) {
                try {
                    ShmLink second = ShmGuest.attachFromEnvironment();
                    throw new AssertionError("attached again: " + second);
                } catch (IllegalStateException refused) {
                    if (!String.valueOf(refused.getMessage()).contains("has attached with these descriptors already")) {
                        throw refused;
                    }
                }
            }
            try (DoorbellPair others = Doorbell.pair()) {
                if (link.sendAndRing(Frame.of(1, 7, bytes(1, 1))) != SendResult.SENT
                        || others.host().poll() != DoorbellEvent.TIMEOUT
                        || others.guest().poll() != DoorbellEvent.TIMEOUT) {
                    throw new AssertionError("the bell is another's by now: " + link);
                }
                link.close();
                if (others.host().ring() != RingResult.RUNG || others.guest().poll() != DoorbellEvent.RUNG) {
                    throw new AssertionError("the close of the link has closed a bell of others");
                }
            }
        }
    }
}
