package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.SIGCONT;
import static dev.carillon.sys.layout.Constants.SIGKILL;
import static dev.carillon.sys.layout.Constants.SIGURG;
import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.Constants.SI_TKILL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.PendingSignals;
import dev.carillon.sys.layout.SiginfoLayout;
import dev.carillon.sys.layout.SigsetLayout;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With real-time signals that nobody else has, sent to this very thread, which blocks them. */
abstract class SignalCallsContract extends SysContract {
    private static final int REALTIME = 60;
    private static final long SET = SigsetLayout.bit(REALTIME);
    private static final int NO_PROCESS = 0x7fff_fff0;

    private final SignalCalls calls = sys.signals();
    private final long maskBefore = calls.block(SET);

    SignalCallsContract(LibC libc) {
        super(libc);
    }

    @AfterEach
    void unblock() {
        calls.setMask(maskBefore);
    }

    private void assertPending(int code, long value) {
        assertEquals(REALTIME, PendingSignals.take(libc, SET, at(0)));
        assertEquals(REALTIME, memory.bytes().getInt(SiginfoLayout.SI_SIGNO));
        assertEquals(code, memory.bytes().getInt(SiginfoLayout.SI_CODE));
        assertEquals(sys.processes().pid(), memory.bytes().getInt(SiginfoLayout.SI_PID));
        assertEquals(sys.processes().uid(), memory.bytes().getInt(SiginfoLayout.SI_UID));
        assertEquals(value, memory.bytes().getLong(SiginfoLayout.SI_VALUE));
    }

    @Test
    void queuedSignalsComeWithSenderAndValue() {
        int pid = sys.processes().pid();
        int tid = sys.processes().threadId();
        assertEquals(-Errno.EAGAIN, PendingSignals.take(libc, SET, at(0)));
        assertEquals(0, calls.queueToThread(pid, tid, REALTIME, 0x1122_3344_5566_7788L));
        assertPending(SI_QUEUE, 0x1122_3344_5566_7788L);
        memory.bytes().putLong(SiginfoLayout.SI_VALUE, 0);
        assertEquals(0, calls.sendToThread(pid, tid, REALTIME));
        assertPending(SI_TKILL, 0);
    }

    @Test
    void aSiginfoIsForwardedAsItIs() {
        int pid = sys.processes().pid();
        int tid = sys.processes().threadId();
        SiginfoLayout.putQueued(
                memory.bytes(), 512, SIGURG, pid, sys.processes().uid(), 77);
        memory.bytes().putInt(512 + SiginfoLayout.SI_ERRNO, 4711).putInt(512 + SiginfoLayout.SI_CODE, -0x10001);
        assertEquals(0, calls.forwardToThread(pid, tid, REALTIME, at(512)));
        assertPending(-0x10001, 77);
        assertEquals(4711, memory.bytes().getInt(SiginfoLayout.SI_ERRNO));
    }

    @Test
    void unblockingOneSignalLeavesTheOthersBlocked() {
        long before = calls.block(SigsetLayout.bit(SIGURG));
        assertEquals(before | SigsetLayout.bit(SIGURG), calls.unblock(SigsetLayout.bit(SIGURG)));
        assertEquals(before, calls.mask());
    }

    // r[verify sys.mask]
    @Test
    void aMaskIsSetExactlyButForGlibcsOwnSignals() {
        long before = calls.setMask(SigsetLayout.bit(SIGURG) | SigsetLayout.bit(32) | SigsetLayout.bit(33));
        try {
            assertEquals(SigsetLayout.bit(SIGURG), calls.mask());
            assertEquals(SigsetLayout.bit(SIGURG), calls.block(-1L & SET));
            assertEquals(SigsetLayout.bit(SIGURG) | SET, calls.mask());
        } finally {
            calls.setMask(before);
        }
    }

    /** The VM reads from memory that is not there and goes on in its handler: with such a signal blocked it is killed. */
    // r[verify sys.mask]
    @Test
    void theSignalsOfFaultsAreNotBlocked() {
        long before = calls.block(-1L);
        try {
            long faults = SigsetLayout.bit(4)
                    | SigsetLayout.bit(5)
                    | SigsetLayout.bit(7)
                    | SigsetLayout.bit(8)
                    | SigsetLayout.bit(11);
            assertEquals(0, calls.mask() & faults);
            assertEquals(SigsetLayout.bit(SIGURG), calls.mask() & SigsetLayout.bit(SIGURG));
        } finally {
            calls.setMask(before);
        }
    }

    @Test
    void aMaskIsOneThreadsOwn() throws Exception {
        long[] other = new long[1];
        Thread thread = new Thread(() -> other[0] = calls.setMask(0));
        thread.start();
        thread.join(30_000);
        assertEquals(SET, calls.mask() & SET);
        assertEquals(SET, other[0] & SET, "a new thread begins with its maker's mask");
    }

    @Test
    void aDispositionIsReplacedAndPutBack() {
        SignalAction ignore = new SignalAction(SignalAction.IGNORE, 0, SET);
        SignalAction before = calls.setAction(SIGURG, ignore);
        assertEquals(SignalAction.DEFAULT, before.handler());
        SignalAction now = calls.action(SIGURG);
        assertEquals(ignore.handler(), now.handler());
        assertEquals(SET, now.mask());
        assertEquals(ignore.handler(), calls.setAction(SIGURG, before).handler());
        assertEquals(before.handler(), calls.action(SIGURG).handler());
    }

    @Test
    void aDispositionThatCannotChangeFailsWithTheSignal() {
        SyscallException e = assertThrows(
                SyscallException.class, () -> calls.setAction(SIGKILL, new SignalAction(SignalAction.IGNORE, 0, 0)));
        assertEquals("sigaction failed: EINVAL (22): signal=9", e.getMessage());
    }

    @Test
    void aProcessThatIsNotThereIsAValue() {
        assertEquals(-Errno.ESRCH, calls.send(NO_PROCESS, 0));
        assertEquals(-Errno.ESRCH, calls.queue(NO_PROCESS, SIGCONT, 1));
        assertEquals(-Errno.ESRCH, calls.sendToThread(sys.processes().pid(), NO_PROCESS, 0));
        assertEquals(0, calls.send(sys.processes().pid(), 0));
        assertEquals(0, calls.queue(sys.processes().pid(), SIGCONT, 1));
    }

    @Test
    void groupsOfProcessesAreNoTarget() {
        assertThrows(IllegalArgumentException.class, () -> calls.send(0, SIGCONT));
        assertThrows(IllegalArgumentException.class, () -> calls.send(-1, SIGCONT));
        assertThrows(IllegalArgumentException.class, () -> calls.queue(-5, SIGCONT, 0));
        assertThrows(IllegalArgumentException.class, () -> SigsetLayout.bit(65));
        assertThrows(IllegalArgumentException.class, () -> SigsetLayout.bit(0));
    }

    @Test
    void aPidfdReachesItsProcess() {
        Fd self = sys.processes().descriptorOf(sys.processes().pid());
        int pidfd = number(Objects.requireNonNull(self));
        assertEquals(0, calls.sendToDescriptor(pidfd, SIGCONT));
        assertEquals(0, calls.queueToDescriptor(pidfd, SIGCONT, 7));
    }
}
