package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guests that are other processes and no children of their host, and hosts that are killed. */
final class GuestSocketIT {
    private static final int NOBODY = 65_534;
    private static final int FRAMES = 2_000;

    /** Where another user gets in, up to the directory of the host. */
    private final Path directory =
            Path.of("/dev/shm", "carillon-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime());

    private final EventLoop loop = EventLoop.open().start();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).distinct();
    }

    private HostConfig.Builder config() {
        return HostConfig.builder().loop(loop).onGuest((link, guest) -> arrived.add(link));
    }

    private ChildJvm child(Class<?> program) {
        return ChildJvm.of(program).args(directory.toString());
    }

    // r[verify shm.attach.socket]
    @ParameterizedTest
    @MethodSource("jdks")
    void aProcessThatIsNoChildAttachesAndAnswersUntilItsHostLeaves(Jdk jdk) throws Exception {
        ShmHost host = ShmHost.create(directory, config().build());
        try (ChildProcess guest = child(Echo.class).jdk(jdk).start()) {
            ShmLink link = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guest::toString);
            for (int i = 0; i < FRAMES; i++) {
                assertEquals(SendResult.SENT, link.send(Frame.of(1, i, LinkPair.bytes(i, i)), LONG));
                Frame answer = LinkTest.receive(link);
                assertEquals(i, answer.id());
                assertEquals(LinkPair.bytes(i, i), answer.payload());
            }
            host.close();
            ChildExit exit = guest.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
        } finally {
            host.close();
        }
    }

    // r[verify shm.host.directory]
    @Test
    void aHostThatLivesKeepsItsDirectoryAndOneThatWasKilledLeavesItToTheNext() throws Exception {
        try (ChildProcess first = child(Host.class).start()) {
            first.awaitLine("open", LIMIT);
            IllegalStateException second =
                    assertThrows(IllegalStateException.class, () -> ShmHost.create(directory, config().build()));
            assertTrue(second.toString().contains("another host lives there"), second::toString);
            ShmGuest.connect(directory).close();
            first.send("KILL");
            first.awaitExit(LIMIT);
        }
        IOException nobodyThere = assertThrows(IOException.class, () -> ShmGuest.connect(directory));
        assertTrue(nobodyThere.toString().contains("its server has ended and left the path"), nobodyThere::toString);
        try (ShmHost next = ShmHost.create(directory, config().build());
                ShmLink guest = ShmGuest.connect(directory)) {
            assertEquals(1, next.peers().size());
            assertEquals(SendResult.SENT, guest.trySend(text("on with it")));
        }
        assertFalse(Files.exists(directory));
    }

    private static void needRoot() {
        assumeTrue(Sys.get().processes().uid() == 0, "only root can be somebody else");
        Programs.need("setpriv");
    }

    // r[verify shm.host.directory]
    @Test
    void anotherUserIsKeptOutByTheDirectory() {
        needRoot();
        try (ShmHost host = ShmHost.create(directory, config().build())) {
            ChildExit exit = child(Refused.class).user(NOBODY, NOBODY).run(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.toString().contains("EACCES"), exit::toString);
            assertTrue(exit.toString().contains("this user may not write to that socket"), exit::toString);
            assertTrue(host.peers().isEmpty());
        }
    }

    @Test
    void anotherUserCannotHaveADirectoryThatIsNotItsOwn() {
        needRoot();
        try (ShmHost host = ShmHost.create(directory, config().build())) {
            ChildExit exit = child(RefusedHost.class).user(NOBODY, NOBODY).run(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.toString().contains("it is another user's"), exit::toString);
            assertTrue(host.peers().isEmpty());
        }
    }

    /** One that permissions do not stop. */
    // r[verify shm.attach.socket]
    @Test
    void anotherUserIsRefusedByItsCredentialsUnlessTheHostAllowsIt() throws Exception {
        needRoot();
        String[] overriding = {
            "setpriv",
            "--reuid=" + NOBODY,
            "--regid=" + NOBODY,
            "--clear-groups",
            "--inh-caps=+dac_override",
            "--ambient-caps=+dac_override"
        };
        try (ShmHost host = ShmHost.create(directory, config().build())) {
            ChildExit exit = child(Refused.class).prefix(overriding).run(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.toString().contains("takes no guests of this user"), exit::toString);
            assertTrue(host.peers().isEmpty());
        }
        HostConfig open = config().allow(guest -> guest.uid() == NOBODY).build();
        ShmHost tolerant = ShmHost.create(directory, open);
        try (ChildProcess guest = child(Echo.class).prefix(overriding).start()) {
            ShmLink link = Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), guest::toString);
            tolerant.close();
            assertFalse(link.isOpen());
            ChildExit exit = guest.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
        } finally {
            tolerant.close();
        }
    }

    /** Answers until its host says goodbye. */
    static final class Echo {
        public static void main(String[] args) throws Exception {
            try (ShmLink link = ShmGuest.connect(Path.of(args[0]))) {
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

    static final class Host {
        public static void main(String[] args) throws InterruptedException {
            try (ShmHost host = ShmHost.create(Path.of(args[0]), HostConfig.defaults())) {
                System.out.println("open " + host);
                new CountDownLatch(1).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    static final class Refused {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.connect(Path.of(args[0]))) {
                System.out.println("attached to " + link);
                System.exit(1);
            } catch (IOException | RuntimeException refused) {
                System.out.println(refused);
            }
        }
    }

    static final class RefusedHost {
        public static void main(String[] args) {
            try (ShmHost host = ShmHost.create(Path.of(args[0]), HostConfig.defaults())) {
                System.out.println("created " + host);
                System.exit(1);
            } catch (RuntimeException refused) {
                System.out.println(refused);
            }
        }
    }
}
