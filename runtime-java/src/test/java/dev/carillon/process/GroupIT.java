package dev.carillon.process;

import static dev.carillon.process.Running.LIMIT;
import static dev.carillon.process.Running.assertMessage;
import static dev.carillon.process.Running.exitOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.proc.Descriptors;
import dev.carillon.test.proc.TaskStat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Children in groups and sessions of their own, and signals to those. */
final class GroupIT extends ChildCase {
    /** Has a child that ignores SIGTERM, and says when that is so. */
    static final String WITH_DEAF_CHILD = "sh -c \"trap '' TERM; echo ready; exec sleep 100\" & wait";

    /** As above, but gives the standard output to nobody else, so that its end is that of the deaf one. */
    static Child start(Spawn.Builder command, EventLoop loop) {
        Child child = command.stdout(Stdio.pipe()).start(loop);
        ByteBuffer line = ByteBuffer.allocate(6);
        while (line.hasRemaining()) {
            assertTrue(Futures.get(child.stdout().readSomeAsync(line)) > 0);
        }
        return child;
    }

    /** Leads a group and leaves it for ours, and says when that is so. */
    static Spawn.Builder thatLeavesItsGroup(String first) {
        return Spawn.command(
                        "python3",
                        "-c",
                        "import os,signal,time; " + first
                                + "os.setpgid(0, os.getpgid(os.getppid())); print('ready',flush=True); time.sleep(100)")
                .ownGroup();
    }

    static Spawn.Builder shell(String script) {
        return Spawn.command("sh", "-c", script);
    }

    /** Those of its stat file: group and session. */
    static List<Integer> groupAndSession(long pid) {
        try {
            String[] fields = Files.readString(Path.of("/proc/" + pid + "/stat"))
                    .replaceFirst(".*\\) ", "")
                    .split(" ", -1);
            return List.of(Integer.valueOf(fields[2]), Integer.valueOf(fields[3]));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // r[verify process.group]
    @Test
    void aChildIsInTheGroupAndTheSessionAskedFor() {
        List<Integer> ours = groupAndSession(ProcessHandle.current().pid());
        Child plain = Spawn.command("sleep", "100").start(loop);
        Child leader = Spawn.command("sleep", "100").ownGroup().start(loop);
        Child member = Spawn.command("sleep", "100").inGroupOf(leader).start(loop);
        Child second = Spawn.command("sleep", "100").inGroupOf(member).start(loop);
        Child apart = Spawn.command("sleep", "100").ownSession().start(loop);
        assertEquals(ours, groupAndSession(plain.pid()));
        List<Integer> own = List.of(leader.pid(), ours.get(1));
        assertEquals(own, groupAndSession(leader.pid()));
        assertEquals(own, groupAndSession(member.pid()));
        assertEquals(own, groupAndSession(second.pid()));
        assertEquals(List.of(apart.pid(), apart.pid()), groupAndSession(apart.pid()));
        assertTrue(member.sendToGroup(Signal.SIGTERM));
        for (Child child : List.of(leader, member, second)) {
            assertEquals(Signal.SIGTERM, exitOf(child).signal());
        }
        assertTrue(plain.isAlive() && apart.isAlive());
        assertTrue(apart.sendToGroup(Signal.SIGUSR1));
        assertEquals(Signal.SIGUSR1, exitOf(apart).signal());
        // A leader that was gone before the others keeps a descriptor.
        leader.close();
        apart.close();
        plain.kill();
        exitOf(plain);
    }

    // r[verify process.group]
    @Test
    void aGroupThatCannotBeJoinedIsRefusedBeforeAnythingIsStarted() {
        int before = Descriptors.count();
        Child plain = Spawn.command("sleep", "100").start(loop);
        Child apart = Spawn.command("sleep", "100").ownSession().start(loop);
        Spawn.Builder command = Spawn.command("true");
        assertMessage(
                assertThrows(IllegalArgumentException.class, () -> command.inGroupOf(plain)),
                "start it with ownGroup()");
        assertMessage(assertThrows(IllegalArgumentException.class, () -> command.inGroupOf(apart)), "session");
        assertMessage(
                assertThrows(IllegalStateException.class, () -> plain.sendToGroup(Signal.SIGCONT)),
                "the group of this process");
        Child leader = Spawn.command("sleep", "100").ownGroup().start(loop);
        leader.kill();
        exitOf(leader);
        command.inGroupOf(leader);
        assertMessage(assertThrows(IllegalStateException.class, () -> command.start(loop)), "has ended");
        assertThrows(IllegalArgumentException.class, () -> plain.end(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> command.endWithLoop(Duration.ofNanos(-1)));
        assertMessage(
                assertThrows(
                        IllegalStateException.class,
                        () -> Spawn.command("true").ownSession().ownGroup()),
                "lead a session (ownSession) already");
        assertMessage(assertThrows(IllegalStateException.class, command::ownGroup), "join the group of child");
        assertMessage(assertThrows(NullPointerException.class, () -> command.endWithLoop(nothing())), "grace");
        assertMessage(assertThrows(NullPointerException.class, () -> command.inGroupOf(nothing())), "child");
        for (Child child : List.of(plain, apart)) {
            child.kill();
            exitOf(child);
        }
        Deadline.after(LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }

    // r[verify process.group]
    @Test
    void aGroupThatItsLeaderHasLeftIsSaidToBeEmpty() {
        Child leader = start(thatLeavesItsGroup(""), loop);
        SpawnException empty = assertThrows(
                SpawnException.class,
                () -> Spawn.command("true").inGroupOf(leader).start(loop));
        assertEquals(SpawnException.Reason.NO_GROUP, empty.reason());
        assertFalse(leader.sendToGroup(Signal.SIGTERM));
        assertTrue(leader.isAlive());
        leader.kill();
        exitOf(leader);
        leader.close();
    }

    // r[verify process.group-signal]
    @Test
    void aGroupThatOutlivesItsLeaderIsReachedUntilItIsClosed() {
        Assumptions.assumeTrue(pidfdsMeanGroups(), "before Linux 6.9 a group is not reached behind its leader");
        int before = Descriptors.count();
        Child leader =
                start(shell("sh -c 'echo ready; exec sleep 100' & exit 3").ownGroup(), loop);
        assertEquals(3, exitOf(leader).code());
        assertTrue(leader.sendToGroup(Signal.SIGTERM));
        assertEquals("", Running.all(leader.stdout()));
        leader.close();
        assertFalse(leader.sendToGroup(Signal.SIGTERM));
        Deadline.after(LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    // r[verify process.group-descriptor]
    @Test
    void aGroupThatOutlivesItsLeaderCostsNothingOnceItIsEmpty() {
        int before = Descriptors.count();
        Child keeper = start(shell("echo ready; read word").stdin(Stdio.pipe()), loop);
        for (int i = 0; i < 10; i++) {
            // What it leaves behind ends with the keeper, whose number it is told.
            String waits = "(while kill -0 $0; do sleep 0.02; done) 2>/dev/null &";
            Child leader = Spawn.command("sh", "-c", waits, "" + keeper.pid())
                    .ownGroup()
                    .start(loop);
            assertTrue(exitOf(leader).isSuccess());
        }
        keeper.kill();
        exitOf(keeper);
        keeper.close();
        Deadline.after(LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
    }

    // r[verify process.end]
    @Test
    void aLeaderThatHasLeftItsGroupIsEndedAllTheSame() {
        Assumptions.assumeTrue(pidfdsMeanGroups(), "before Linux 6.9 the end of a group waits for the whole grace");
        Child polite = start(thatLeavesItsGroup(""), loop);
        assertEquals(
                Signal.SIGTERM, Futures.get(polite.end(Duration.ofHours(1))).signal());
        Child deaf = start(thatLeavesItsGroup("signal.signal(signal.SIGTERM, signal.SIG_IGN); "), loop);
        assertEquals(
                Signal.SIGKILL, Futures.get(deaf.end(Duration.ofMillis(50))).signal());
        polite.close();
        deaf.close();
    }

    // r[verify process.end]
    @Test
    void aLeaderThatStaysInItsGroupIsAskedOnce() {
        Signal counted = Signal.of(40);
        Child leader = start(
                Spawn.command(
                                "python3",
                                "-c",
                                "import signal,sys; signal.pthread_sigmask(signal.SIG_BLOCK, [40]); print('ready',flush=True); "
                                        + "sys.stdin.read(); got = lambda: signal.sigtimedwait([40], 0); "
                                        + "print(len(list(iter(got, None))))")
                        .stdin(Stdio.pipe())
                        .ownGroup(),
                loop);
        // As the SIGTERM of an end, but each of its kind is kept, and can be counted.
        leader.watch.sendToAll(counted);
        leader.stdin().close();
        assertEquals("1\n", Running.all(leader.stdout()));
        assertTrue(exitOf(leader).isSuccess());
        leader.close();
    }

    private static boolean pidfdsMeanGroups() {
        Sys sys = Sys.get();
        Fd own = Objects.requireNonNull(
                sys.processes().descriptorOf(sys.processes().pid()));
        int answer = sys.signals().sendToGroupOfDescriptor(own.acquire(), 0);
        Closing.now(own);
        return answer != -Errno.EINVAL;
    }

    // r[verify process.end]
    @Test
    void aWholeTreeIsEndedAlsoWhoIgnoresTheFirstSignal() {
        int before = Descriptors.count();
        Child leader = start(shell(WITH_DEAF_CHILD).ownGroup(), loop);
        long begin = System.nanoTime();
        Duration grace = Duration.ofMillis(50);
        assertEquals(Signal.SIGTERM, Futures.get(leader.end(grace)).signal());
        assertTrue(System.nanoTime() - begin >= grace.toNanos());
        assertEquals("", Running.all(leader.stdout()), "its output ends when the last one is gone");
        assertEquals(Signal.SIGTERM, Futures.get(leader.end(grace)).signal());
        leader.close();
        Deadline.after(LIMIT).await("no descriptor is left", () -> Descriptors.count() <= before);
        assertTrue(TaskStat.read("/proc/" + leader.pid()).isEmpty(), "no zombie is left");
    }

    // r[verify process.end]
    @Test
    void aChildAloneIsEndedAndWhatItStartedGoesOn() {
        Child child = start(
                shell("exec 3<&0; sh -c 'echo ready; read word; echo $word' <&3 & wait")
                        .stdin(Stdio.pipe()),
                loop);
        assertEquals(Signal.SIGTERM, Futures.get(child.end(Duration.ofHours(1))).signal());
        Futures.get(child.stdin().writeAllAsync(ByteBuffer.wrap(new byte[] {'o', 'n', '\n'})));
        assertEquals("on\n", Running.all(child.stdout()));
        child.close();
    }

    // r[verify process.end]
    @Test
    void aLaterCallShortensTheGraceAndAsksNoMore() {
        Child deaf = start(
                shell("trap 'echo term >&2' TERM; echo ready; while :; do read line; done")
                        .stdin(Stdio.pipe()),
                loop);
        var first = deaf.end(Duration.ofDays(400_000));
        assertTrue(deaf.isAlive());
        assertEquals(Signal.SIGKILL, Futures.get(deaf.end(Duration.ZERO)).signal());
        assertEquals(Signal.SIGKILL, Futures.get(first).signal());
        deaf.close();
    }

    // r[verify process.end]
    @Test
    void aCancelledFutureOfTheEndChangesNothing() {
        Child child = start(shell("trap '' TERM; echo ready; exec sleep 100").ownGroup(), loop);
        assertTrue(child.end(Duration.ofMillis(20)).cancel(false));
        assertEquals(Signal.SIGKILL, exitOf(child).signal());
        child.close();
    }
}
