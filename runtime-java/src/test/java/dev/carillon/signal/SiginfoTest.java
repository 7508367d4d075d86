package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalInfo.Sender;
import dev.carillon.sys.PosixTimers;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What arrives through the forwarder, for each way to send a signal to oneself. */
// r[verify signal.siginfo]
class SiginfoTest extends SignalCase {
    private static final Signal REALTIME = Signal.realtime(5);

    private final int pid = sys().processes().pid();
    private final int uid = sys().processes().uid();

    SiginfoTest() {
        super(CaptureKind.FORWARDER);
    }

    private SignalInfo one(Signal signal, Runnable send) {
        SignalService service = attach(started(), signal);
        CompletableFuture<SignalInfo> wait = service.await(signal);
        send.run();
        return get(wait);
    }

    @Test
    void killTellsPidAndUid() {
        SignalInfo info = one(Signal.SIGUSR1, () -> send(Signal.SIGUSR1));
        assertEquals(new SignalInfo(Signal.SIGUSR1, 0, pid, uid, 0, 0, 0), info);
        assertEquals(Sender.PROCESS, info.sender());
    }

    @Test
    void tgkillTellsPidAndUid() {
        SignalInfo info = one(WINCH, () -> sys().signals().sendToThread(pid, pid, WINCH.number()));
        assertEquals(new SignalInfo(WINCH, -6, pid, uid, 0, 0, 0), info);
        assertEquals(Sender.PROCESS, info.sender());
    }

    @Test
    void aQueuedSignalTellsItsValue() {
        SignalInfo info = one(REALTIME, () -> Signals.queue(pid, REALTIME, 0x1122_3344_5566_7788L));
        assertEquals(new SignalInfo(REALTIME, -1, pid, uid, 0, 0, 0x1122_3344_5566_7788L), info);
        assertEquals(Sender.CLAIMED, info.sender());
    }

    /** Each is taken by whichever thread the kernel picks, so their order is best effort. */
    // r[verify signal.realtime]
    @Test
    void queuedSignalsAllCome() {
        SignalService service = attach(started(), REALTIME);
        for (int i = 0; i < 500; i++) {
            Signals.queue(pid, REALTIME, i);
        }
        Set<Long> values = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            values.add(get(service.await(REALTIME)).value());
        }
        assertEquals(500, values.size());
        assertTrue(values.contains(0L) && values.contains(499L), values::toString);
    }

    @Test
    void aTimerTellsItsValueAndOverrun() {
        int[] timer = new int[1];
        SignalInfo info = one(REALTIME, () -> timer[0] = PosixTimers.queueLater(sys().libc(), REALTIME.number(), 42));
        PosixTimers.delete(sys().libc(), timer[0]);
        assertEquals(new SignalInfo(REALTIME, -2, 0, 0, 0, 0, 42), info);
        assertEquals(Sender.CLAIMED, info.sender());
    }

    @Test
    void anAlarmIsTheKernels() {
        SignalInfo info = one(Signal.SIGALRM, () -> PosixTimers.alarm(sys().libc()));
        assertEquals(new SignalInfo(Signal.SIGALRM, 128, 0, 0, 0, 0, 0), info);
        assertEquals(Sender.KERNEL, info.sender());
    }

    @Test
    void aChildTellsItsPidAndHowItEnded() {
        long[] child = new long[1];
        SignalInfo info = one(Signal.SIGCHLD, () -> {
            try {
                child[0] = new ProcessBuilder("sh", "-c", "exit 7").start().pid();
            } catch (IOException e) {
                throw new AssertionError("no shell", e);
            }
        });
        assertEquals(new SignalInfo(Signal.SIGCHLD, 1, (int) child[0], uid, 7, 0, 0), info);
        assertEquals(Sender.KERNEL, info.sender());
    }

    @Test
    void sendingToNobodyIsFalse() {
        assertEquals(false, Signals.send(0x7fff_fff0, WINCH));
        assertEquals(false, Signals.queue(0x7fff_fff0, REALTIME, 1));
        assertThrows(IllegalArgumentException.class, () -> Signals.send(0, WINCH), "a group of processes");
        assertThrows(IllegalArgumentException.class, () -> Signals.queue(-1, REALTIME, 1));
    }
}
