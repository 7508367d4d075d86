package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.CLD_EXITED;
import static dev.carillon.sys.layout.Constants.CLD_KILLED;
import static dev.carillon.sys.layout.Constants.O_CREAT;
import static dev.carillon.sys.layout.Constants.O_WRONLY;
import static dev.carillon.sys.layout.Constants.POLLIN;
import static dev.carillon.sys.layout.Constants.RLIMIT_NOFILE;
import static dev.carillon.sys.layout.Constants.SIGTERM;
import static dev.carillon.sys.layout.Constants.SIGURG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.SigsetLayout;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.TaskStat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

abstract class ProcessCallsContract extends SysContract {
    private final ProcessCalls calls = sys.processes();

    @TempDir
    private Path folder;

    ProcessCallsContract(LibC libc) {
        super(libc);
    }

    private int spawn(SpawnPlan plan, String... command) {
        return plan.spawn(command[0], List.of(command), List.of(bytes("BELL=carillon"), bytes("PATH=/usr/bin:/bin")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> outputOf(String... command) throws Exception {
        Path out = folder.resolve("out");
        try (SpawnPlan plan = calls.plan()) {
            plan.mask(SigsetLayout.bit(SIGURG)).defaults(-1L).directory(folder);
            plan.open(1, out.toString(), O_WRONLY | O_CREAT, 0600).closeFrom(3);
            int pid = spawn(plan, command);
            assertTrue(pid > 0, () -> "pid=" + pid);
            assertEquals(new ChildState(pid, CLD_EXITED, 0), calls.reap(pid));
        }
        return Files.readAllLines(out);
    }

    @Test
    void aChildHasTheMaskAndTheDispositionsAskedFor() throws Exception {
        assertEquals(
                List.of("SigBlk:\t0000000000400000", "SigIgn:\t0000000000000000"),
                outputOf("grep", "-E", "Sig(Blk|Ign):", "/proc/self/status"));
    }

    @Test
    void aChildHasTheFolderAndTheEnvironmentAskedFor() throws Exception {
        assertEquals(List.of(folder.toRealPath().toString()), outputOf("pwd"));
        assertEquals(List.of("BELL=carillon", "PATH=/usr/bin:/bin"), outputOf("env"));
    }

    @Test
    void aChildHasNoDescriptorsButThoseAskedFor() throws Exception {
        number(sys.files().open("/dev/null", O_WRONLY, 0));
        // ls itself opens the folder that it lists.
        assertEquals(List.of("0", "1", "2", "3"), outputOf("ls", "/proc/self/fd"));
    }

    @Test
    void aDescriptorIsHandedOverUnderTheNumberAskedFor() {
        int event = number(sys.clocks().event(0));
        try (SpawnPlan plan = calls.plan()) {
            plan.duplicate(event, 9).close(0);
            int pid = spawn(plan, "sh", "-c", "printf '\\001\\000\\000\\000\\000\\000\\000\\000' >&9");
            assertEquals(0, calls.reap(pid).status());
        }
        assertEquals(8, sys.descriptors().read(event, at(0), 8));
        assertEquals(1, memory.bytes().getLong(0));
    }

    @Test
    void aChildLeadsTheGroupOrTheSessionAskedFor() {
        try (SpawnPlan own = calls.plan();
                SpawnPlan joins = calls.plan();
                SpawnPlan session = calls.plan()) {
            int leader = spawn(own.group(0), "sleep", "100");
            int member = spawn(joins.group(leader), "sleep", "100");
            int apart = spawn(session.session(), "sleep", "100");
            assertEquals(0, sys.signals().sendToGroup(leader, 0));
            assertEquals(0, sys.signals().sendToGroup(apart, 0));
            assertEquals(-Errno.ESRCH, sys.signals().sendToGroup(member, 0));
            assertEquals(0, sys.signals().sendToGroup(leader, SIGTERM));
            assertEquals(new ChildState(leader, CLD_KILLED, SIGTERM), calls.reap(leader));
            assertEquals(new ChildState(member, CLD_KILLED, SIGTERM), calls.reap(member));
            assertFalse(calls.isOver(apart));
            assertEquals(0, sys.signals().sendToGroup(apart, SIGTERM));
            assertEquals(SIGTERM, calls.reap(apart).status());
        }
    }

    // r[verify sys.numbers]
    @Test
    void aNumberThatWouldMeanAnotherGroupIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> sys.signals().sendToGroup(1, 0));
        assertThrows(IllegalArgumentException.class, () -> sys.signals().sendToGroup(0, 0));
        assertThrows(IllegalArgumentException.class, () -> sys.signals().sendToGroup(-5, 0));
        try (SpawnPlan plan = calls.plan()) {
            assertThrows(IllegalArgumentException.class, () -> plan.group(-1));
        }
    }

    @Test
    void anEndCanBeLookedAtWithoutTakingIt() {
        try (SpawnPlan plan = calls.plan()) {
            int pid = spawn(plan, "sleep", "100");
            assertTrue(calls.isChild(pid));
            assertNull(calls.lookNow(pid));
            sys.signals().send(pid, SIGTERM);
            ChildState end = new ChildState(pid, CLD_KILLED, SIGTERM);
            Deadline.after(Duration.ofSeconds(30)).await("it has ended", () -> calls.lookNow(pid) != null);
            assertEquals(end, calls.lookNow(pid));
            assertTrue(calls.isChild(pid));
            assertEquals(end, calls.reapNow(pid));
            assertFalse(calls.isChild(pid));
        }
    }

    @Test
    void aProgramThatCannotRunIsAValue() throws Exception {
        Path plain = Files.createFile(folder.resolve("plain"));
        try (SpawnPlan plan = calls.plan()) {
            assertEquals(-Errno.ENOENT, plan.spawn("no-such-bell", List.of("x"), List.of()));
            assertEquals(-Errno.EACCES, plan.spawn(plain.toString(), List.of("x"), List.of()));
            assertThrows(IllegalArgumentException.class, () -> plan.spawn("a\0b", List.of("x"), List.of()));
            assertThrows(IllegalArgumentException.class, () -> plan.spawn("sh", List.of("x\0"), List.of()));
        }
    }

    @Test
    void aClosedPlanStartsNothing() {
        SpawnPlan plan = calls.plan();
        plan.close();
        plan.close();
        assertThrows(IllegalStateException.class, () -> plan.spawn("true", List.of("true"), List.of()));
    }

    @Test
    void theEndOfAChildIsSeenThroughItsPidfdAndTakenOnce() {
        try (SpawnPlan plan = calls.plan()) {
            int pid = spawn(plan, "sleep", "100");
            int pidfd = number(Objects.requireNonNull(calls.descriptorOf(pid)));
            assertFalse(calls.hasEnded(pidfd));
            assertNull(calls.reapNow(pid));
            assertNull(calls.reapDescriptorNow(pidfd));
            assertEquals(0, sys.signals().sendToDescriptor(pidfd, SIGTERM));
            PollSet set = sys.pollSet(1);
            set.set(0, pidfd, POLLIN);
            assertEquals(1, set.awaitUntil(System.nanoTime() + 30_000_000_000L));
            assertTrue(calls.hasEnded(pidfd));
            assertTrue(calls.startTime(pid) > 0);
            assertEquals(new ChildState(pid, CLD_KILLED, SIGTERM), calls.reapDescriptorNow(pidfd));
            assertTrue(calls.hasEnded(pidfd));
            assertEquals(ProcessCalls.UNKNOWN_TIME, calls.startTime(pid));
            SyscallException e = assertThrows(SyscallException.class, () -> calls.reapNow(pid));
            assertEquals("waitid failed: ECHILD (10)", e.getMessage());
            assertNull(calls.descriptorOf(pid));
            assertEquals(-Errno.ESRCH, sys.signals().sendToDescriptor(pidfd, SIGTERM));
        }
    }

    // r[verify sys.start-time]
    @Test
    void theStartTimeIsThatOfAProcessWhateverItCallsItself() throws Exception {
        Path program = Files.copy(Path.of("/bin/sleep"), folder.resolve("x) S 1 (2"));
        try (SpawnPlan plan = calls.plan()) {
            int pid = spawn(plan, program.toString(), "100");
            long start = TaskStat.read("/proc/" + pid).orElseThrow().startTicks();
            assertEquals(start, calls.startTime(pid));
            assertTrue(start >= calls.startTime(calls.pid()));
            sys.signals().send(pid, SIGTERM);
            calls.reap(pid);
        }
    }

    @Test
    void weAreWhoTheVmSaysWeAre() {
        assertEquals(ProcessHandle.current().pid(), calls.pid());
        assertEquals(ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L), calls.parentPid());
        assertTrue(Files.exists(Path.of("/proc/self/task/" + calls.threadId())));
    }

    @Test
    void aThreadIsBoundToAProcessorAndFreedAgain() {
        BitSet before = calls.affinity();
        BitSet one = new BitSet();
        one.set(before.nextSetBit(0));
        calls.setAffinity(one);
        assertEquals(one, calls.affinity());
        calls.setAffinity(before);
        assertEquals(before, calls.affinity());
        SyscallException e = assertThrows(SyscallException.class, () -> calls.setAffinity(new BitSet()));
        assertEquals("sched_setaffinity failed: EINVAL (22)", e.getMessage());
    }

    @Test
    void aLimitIsReadAsItWasSet() {
        Limit before = calls.limit(RLIMIT_NOFILE);
        Limit lower = new Limit(before.soft() - 1, before.hard());
        calls.setLimit(RLIMIT_NOFILE, lower);
        assertEquals(lower, calls.limit(RLIMIT_NOFILE));
        calls.setLimit(RLIMIT_NOFILE, before);
    }
}
