package dev.carillon.shm.doorbell;

import static dev.carillon.shm.doorbell.Bells.LIMIT;
import static dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE;
import static dev.carillon.shm.doorbell.DoorbellEvent.RUNG;
import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bells between this process and a child: a VM, or a program in C that knows nothing but sockets. */
final class DoorbellProcessesIT {
    private static final int INHERITED = 3;
    private static final int ROUNDS = 500;

    private static final String ECHO_IN_C = """
            #include <sys/socket.h>
            #include <poll.h>
            #include <stdio.h>
            int main(void) {
                char strokes[64];
                struct pollfd bell = {3, POLLIN, 0};
                for (;;) {
                    poll(&bell, 1, -1);
                    ssize_t count = recv(3, strokes, sizeof strokes, MSG_DONTWAIT);
                    if (count == 0) {
                        return 7;
                    }
                    if (count > 0 && send(3, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
                        return 8;
                    }
                }
            }
            """;

    /** Rings all the time and reads nothing. */
    private static final String FLOOD_IN_C = """
            #include <sys/socket.h>
            int main(void) {
                for (;;) {
                    send(3, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
                }
            }
            """;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    static List<ChildJvm> vms() {
        List<ChildJvm> vms = new ArrayList<>();
        vms.add(ChildJvm.of(Echo.class));
        Jdk.second().ifPresent(jdk -> vms.add(ChildJvm.of(Echo.class).jdk(jdk).vmFlags("-Dcarillon.libc=ffm")));
        return vms;
    }

    private Spawn.Builder quiet(List<String> command) {
        return Spawn.command(command)
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")));
    }

    private Child start(List<String> command, Doorbell guest) {
        Child child = quiet(command).inherit(guest.fd(), INHERITED).start(loop);
        guest.close();
        return child;
    }

    private void ringAndBeAnswered(Doorbell host, int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            assertEquals(RingResult.RUNG, host.ring());
            DoorbellEvent answer = host.await(LIMIT);
            int round = i;
            assertEquals(RUNG, answer, () -> "round " + round + ": " + output());
        }
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    // r[verify shm.doorbell.purpose]
    @ParameterizedTest
    @MethodSource("vms")
    void aChildIsRungAnswersAndSeesOurDeath(ChildJvm vm) throws Exception {
        try (DoorbellPair pair = Doorbell.pair()) {
            Child child = start(vm.command(), pair.guest());
            ringAndBeAnswered(pair.host(), ROUNDS);
            pair.host().close();
            assertEquals(7, get(child.exit()).code(), this::output);
        }
    }

    // r[verify shm.doorbell.purpose]
    @Test
    void aProgramInCIsRungAnswersAndSeesOurDeath() throws Exception {
        Path program = CProgram.compile(folder, "echo", ECHO_IN_C);
        try (DoorbellPair pair = Doorbell.pair()) {
            Child child = start(List.of(program.toString()), pair.guest());
            ringAndBeAnswered(pair.host(), ROUNDS);
            pair.host().close();
            assertEquals(7, get(child.exit()).code());
        }
    }

    // r[verify shm.doorbell.death]
    @Test
    void theLastRingOfAKilledChildIsToldBeforeItsDeath() throws Exception {
        Path program = CProgram.compile(folder, "echo", ECHO_IN_C);
        for (int i = 0; i < 20; i++) {
            try (DoorbellPair pair = Doorbell.pair()) {
                Child child = start(List.of(program.toString()), pair.guest());
                pair.host().ring();
                // Its answer is in our socket, or will be; only then it is killed.
                Deadline.after(LIMIT).await("it rang", () -> peek(pair.host()));
                child.send(Signal.SIGKILL);
                get(child.exit());
                assertEquals(RUNG, pair.host().await(LIMIT));
                assertEquals(PEER_GONE, pair.host().await(LIMIT));
            }
        }
    }

    private static boolean peek(Doorbell bell) {
        var sys = dev.carillon.sys.call.Sys.get();
        var set = sys.pollSet(1);
        set.set(0, bell.fd(), dev.carillon.sys.layout.Constants.POLLIN);
        return set.now() == 1;
    }

    // r[verify shm.doorbell.wait]
    @Test
    void aStormOfSignalsDoesNotStretchADeadline() {
        Child child = quiet(ChildJvm.of(StormyBell.class).command()).start(loop);
        assertEquals(0, get(child.exit()).code(), this::output);
        System.out.println(output().strip());
    }

    // r[verify shm.doorbell.wait]
    @Test
    void aProgramThatFloodsTheBellHoldsNobodyUp() throws Exception {
        Path program = CProgram.compile(folder, "flood", FLOOD_IN_C);
        try (DoorbellPair pair = Doorbell.pair()) {
            Child child = start(List.of(program.toString()), pair.guest());
            Deadline.call(LIMIT, () -> {
                for (int i = 0; i < 1_000; i++) {
                    assertEquals(RUNG, pair.host().await(LIMIT));
                    assertEquals(RingResult.RUNG, pair.host().ring());
                }
                return "a reader that is held up comes to no end";
            });
            child.send(Signal.SIGKILL);
            get(child.exit());
            int rings = 0;
            while (pair.host().await(LIMIT) == RUNG) {
                rings++;
            }
            int events = rings;
            assertTrue(events < 1_000, () -> events + " events after the death");
            assertEquals(PEER_GONE, pair.host().poll());
        }
    }

    // r[verify shm.doorbell.socketpair]
    @Test
    void aGrandchildDoesNotKeepTheBellAlive() throws Exception {
        try (DoorbellPair pair = Doorbell.pair()) {
            Child child = start(ChildJvm.of(Parent.class).command(), pair.guest());
            assertEquals(RUNG, pair.host().await(LIMIT), this::output);
            Deadline.after(LIMIT).await("the grandchild's pid is written", () -> output().contains("grandchild "));
            child.send(Signal.SIGKILL);
            assertEquals(PEER_GONE, pair.host().await(LIMIT));
            get(child.exit());
            long grandchild = Long.parseLong(output().replaceAll("(?s).*grandchild (\\d+).*", "$1"));
            assertTrue(ProcessHandle.of(grandchild)
                    .map(ProcessHandle::destroyForcibly)
                    .orElse(false));
        }
    }

    /** Answers each ring; exits with 7 at the death of the other side. */
    static final class Echo {
        public static void main(String[] args) throws InterruptedException {
            try (Doorbell bell = Doorbell.adopt(INHERITED)) {
                while (bell.await() == RUNG) {
                    bell.ring();
                }
            }
            System.exit(7);
        }
    }

    /** Starts a child that outlives it, through the JDK's own door, and rings. */
    static final class Parent {
        public static void main(String[] args) throws Exception {
            Doorbell bell = Doorbell.adopt(INHERITED);
            Process grandchild = new ProcessBuilder("sleep", "60").start();
            System.out.println("grandchild " + grandchild.pid());
            bell.ring();
            bell.await();
        }
    }
}
